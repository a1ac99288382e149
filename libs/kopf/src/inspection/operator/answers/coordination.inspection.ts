import { deadlineOf } from '../../../coordination/peering/peers.js';
import type { InspectedCoordination } from '../../inspection.types.js';
import type { InspectedServices } from '../inspected.services.js';

/** Returns the operators that work and those that pause, as this operator has read them last. */
export function inspectCoordination({
  options,
  operator,
  lifecycle,
  peering,
}: InspectedServices): InspectedCoordination {
  const { identity, status } = peering;
  const lease = lifecycle.leaseStatus;
  return {
    mode: options.coordination === 'lease' ? 'lease' : status.some(({ exists }) => exists) ? 'peering' : 'none',
    identity,
    paused: operator.pauseStatus.reasons,
    isPausedByHand: lifecycle.isPausedByHand,
    ...(lease && { lease }),
    peerings: status.map(({ name, namespace, rank, peers }) => ({
      name,
      namespace,
      rank,
      peers: peers.map((peer) => ({
        identity: peer.identity,
        priority: peer.priority,
        lastSeen: peer.lastSeen,
        deadline: deadlineOf(peer),
        self: peer.identity === identity,
        ...(peer.message !== undefined && { message: peer.message }),
      })),
    })),
  };
}
