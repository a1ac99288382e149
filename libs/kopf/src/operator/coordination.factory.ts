import type { WatchSourceOptions } from '../client/watch/watch.source.js';
import { LeaseClient } from '../coordination/leader-election/lease.client.js';
import { LeaseCoordination } from '../coordination/leader-election/lease.coordination.js';
import type { Authority } from '../coordination/pausing/authority.js';
import type { Coordination } from '../coordination/pausing/coordination.interface.js';
import type { Pauses } from '../coordination/pausing/pauses.js';
import type { KopfPeering } from '../coordination/peering/kopf.peering.js';
import { PeeringCoordination } from '../coordination/peering/peering.coordination.js';
import { KopfOptionsError } from '../common/options.error.js';
import type { BlockageMonitor } from '../execution/blockage.monitor.js';
import type { KopfSettings } from '../settings/kopf.settings.js';
import { findLeaseMistakes } from '../settings/coordination.settings.js';
import type { CoordinationMode } from '../kopf.options.js';

/** What the coordination of one session is made of. */
export interface CoordinationOptions {
  readonly mode: CoordinationMode;
  readonly peering: KopfPeering;
  readonly settings: KopfSettings;
  readonly pauses: Pauses;
  readonly authority: Authority;
  readonly monitor: BlockageMonitor;
  readonly watching: Omit<WatchSourceOptions, 'resource' | 'namespace' | 'onStatus'>;
}

/**
 * Makes what agrees with other operators on which one works.
 *
 * @throws KopfOptionsError if the settings, as they are after the startup handlers, are wrong.
 */
export function makeCoordination(options: CoordinationOptions): Coordination {
  const { mode, peering, settings, pauses, authority, monitor, watching } = options;
  if (mode === 'peering') {
    return new PeeringCoordination({ peering, settings: settings.peering, pauses, authority, monitor, watching });
  }
  const mistakes = findLeaseMistakes(settings.lease);
  if (mistakes.length > 0) throw new KopfOptionsError(mistakes);
  const { name, namespace } = settings.lease;
  const { api, clock, random, logger } = watching;
  const client = new LeaseClient(api, namespace ?? api.defaultNamespace ?? 'default', name);
  const { identity } = peering;
  return new LeaseCoordination({
    client,
    identity,
    settings: settings.lease,
    pauses,
    authority,
    monitor,
    clock,
    random,
    logger,
  });
}
