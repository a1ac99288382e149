import { Inject, Injectable } from '@nestjs/common';
import { WatchEnvironment } from '../client/watch/watch.environment.js';
import { LeaseClient } from '../coordination/leader-election/lease.js';
import { LeaderElection } from '../coordination/leader-election/leader.election.js';
import type { Leadership, Coordination } from '../coordination/pausing/leadership.js';
import { Pauses } from '../coordination/pausing/pauses.js';
import { MembershipSet } from '../coordination/peering/membership.set.js';
import { PeeringCoordination } from '../coordination/peering/peering.coordination.js';
import type { BlockageMonitor } from '../execution/blockage.monitor.js';
import { InjectOwn, KOPF_OPTIONS } from '../kopf.tokens.js';
import type { KopfModuleOptions } from '../kopf.options.js';

/** Creates what agrees with other operators on which one works. */
@Injectable()
export class CoordinationFactory {
  /** There can be credentials in them, which must not be seen when the operator is printed. */
  readonly #options: KopfModuleOptions;

  constructor(
    @InjectOwn(KOPF_OPTIONS) options: KopfModuleOptions,
    @Inject(MembershipSet) private readonly peering: MembershipSet,
    @Inject(Pauses) private readonly pauses: Pauses,
    @Inject(WatchEnvironment) private readonly environment: WatchEnvironment,
  ) {
    this.#options = options;
  }

  /** Creates it for one session, by the settings as they are after the startup handlers. */
  create(leadership: Leadership, monitor: BlockageMonitor): Coordination {
    const { peering, pauses, environment } = this;
    const { settings, options: watching } = environment;
    const { coordination: mode = 'peering' } = this.#options;
    if (mode === 'peering') {
      return new PeeringCoordination({ peering, settings: settings.peering, pauses, leadership, monitor, watching });
    }
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
}
