import type { Draw } from './random.draw.js';
import type { RandomSettings } from './random.settings.js';

/**
 * Draws a number of replicas under a Lease. They do not agree by peering, which needs clocks that agree within five seconds, as random plans
 * let the clocks of single replicas jump: plans for peers are written by hand.
 */
export function replicate(draw: Draw, { kopf, ...settings }: RandomSettings): RandomSettings {
  const { peering: _peering, ...others } = kopf;
  const lease = { name: 'random', namespace: 'default' };
  return { ...settings, replicas: draw.one([2, 2, 3]), kopf: { ...others, coordination: 'lease', lease } };
}
