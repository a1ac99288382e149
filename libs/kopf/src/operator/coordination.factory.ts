import type { WatchSourceOptions } from '../client/watch/watch.source.js';
import { LeaseClient } from '../coordination/leader-election/lease.client.js';
import { LeaderElection } from '../coordination/leader-election/leader.election.js';
import type { Leadership } from '../coordination/pausing/leadership.js';
import type { Coordination } from '../coordination/pausing/coordination.interface.js';
import type { Pauses } from '../coordination/pausing/pauses.js';
import type { MembershipSet } from '../coordination/peering/membership.set.js';
import { PeeringCoordination } from '../coordination/peering/peering.coordination.js';
import { KopfOptionsError } from '../common/options.error.js';
import type { BlockageMonitor } from '../execution/blockage.monitor.js';
import type { KopfSettings } from '../settings/kopf.settings.js';
import { findLeaseViolations } from '../settings/coordination.settings.js';
import type { CoordinationMode } from '../kopf.options.js';

/** What the coordination of one session is made of. */
export interface CoordinationOptions {
  readonly mode: CoordinationMode;
  readonly peering: MembershipSet;
  readonly settings: KopfSettings;
  readonly pauses: Pauses;
  readonly leadership: Leadership;
  readonly monitor: BlockageMonitor;
  readonly watching: Omit<WatchSourceOptions, 'resource' | 'namespace' | 'onStatus'>;
}

/**
 * Makes what agrees with other operators on which one works.
 *
 * @throws KopfOptionsError if the settings, as they are after the startup handlers, are wrong.
 */
export function createCoordination(options: CoordinationOptions): Coordination {
  const { mode, peering, settings, pauses, leadership, monitor, watching } = options;
  if (mode === 'peering') {
    return new PeeringCoordination({ peering, settings: settings.peering, pauses, leadership, monitor, watching });
  }
  const violations = findLeaseViolations(settings.lease);
  if (violations.length > 0) throw new KopfOptionsError(violations);
  const { name, namespace } = settings.lease;
  const { api, clock, random, logger } = watching;
  const client = new LeaseClient(api, namespace ?? api.defaultNamespace ?? 'default', name);
  const { identity } = peering;
  return new LeaderElection({
    client,
    identity,
    settings: settings.lease,
    pauses,
    leadership,
    monitor,
    clock,
    random,
    logger,
  });
}
