import type { WatchSourceOptions } from '../../client/watch/watch.requests.js';
import type { Resource } from '../../resources/resources.js';
import type { BlockageMonitor } from '../../execution/blockage.monitor.js';
import type { PeeringSettings } from '../../settings/coordination.settings.js';
import type { Leadership, Coordination } from '../pausing/leadership.js';
import type { Pauses } from '../pausing/pauses.js';
import type { MembershipSet, MembershipFactory } from './membership.set.js';
import { PeeringClient, type PeeringPlace, selectPeeringResources } from './peering.client.js';
import { PeeringLeadership } from './peering.leadership.js';
import { PeeringMembership } from './peering.membership.js';

/** The dependencies of peering. */
export interface PeeringCoordinationOptions {
  readonly peering: MembershipSet;
  readonly settings: PeeringSettings;
  readonly pauses: Pauses;
  readonly leadership: Leadership;
  readonly monitor: BlockageMonitor;
  readonly watching: Omit<WatchSourceOptions, 'resource' | 'namespace' | 'onStatus'>;
}

const BLOCKER = 'the resource of peering';

/**
 * The coordination by peering: the operator with the highest priority works. There is one peering object for the cluster, or one in each
 * served namespace.
 */
export class PeeringCoordination implements Coordination {
  private isMisplaced = false;
  private isLeft = false;
  private peeringLeadership?: PeeringLeadership;

  constructor(private readonly options: PeeringCoordinationOptions) {}

  async adjust(available: readonly Resource[], namespaces: readonly (string | undefined)[]): Promise<void> {
    const { settings, pauses, peering } = this.options;
    const { standalone, mandatory, clusterwide, name } = settings;
    if (this.isLeft) return;
    const peeringLeadership = (this.peeringLeadership ??= this.startLeadership());
    const isClusterwide = clusterwide ?? namespaces.includes(undefined);
    const resources = standalone ? [] : selectPeeringResources(available, isClusterwide);
    if (mandatory && !standalone && resources.length === 0) {
      const kind = isClusterwide ? 'ClusterKopfPeering' : 'KopfPeering';
      pauses.set(BLOCKER, `The cluster has no resource of the kind ${kind}, which the operator needs.`);
    } else pauses.lift(BLOCKER);
    if (resources.length > 0 && !isClusterwide && namespaces.includes(undefined)) this.warnOfMisplacement();
    const places = resources.flatMap((resource): PeeringPlace[] => {
      if (isClusterwide) return [{ resource, namespace: undefined, name }];
      return namespaces.flatMap((namespace) => (namespace === undefined ? [] : [{ resource, namespace, name }]));
    });
    const preferred = resources[0];
    await peering.adjust(places, (place, onStatus) =>
      this.join(place, mandatory && place.resource === preferred, peeringLeadership, onStatus),
    );
  }

  async leave(): Promise<void> {
    this.isLeft = true;
    await this.options.peering.adjust([], NOTHING_TO_JOIN);
    this.options.pauses.lift(BLOCKER);
  }

  private startLeadership(): PeeringLeadership {
    const { leadership, watching } = this.options;
    const peeringLeadership = new PeeringLeadership(leadership, watching.clock);
    peeringLeadership.start();
    return peeringLeadership;
  }

  private join(
    place: PeeringPlace,
    mandatory: boolean,
    peeringLeadership: PeeringLeadership,
    onStatus: () => void,
  ): PeeringMembership {
    const { peering, settings, pauses, monitor, watching } = this.options;
    const { identity } = peering;
    const client = new PeeringClient(watching.api);
    const tools = { client, settings, watching, pauses, monitor, peeringLeadership };
    return new PeeringMembership({ place, identity, mandatory, ...tools, onStatus });
  }

  private warnOfMisplacement(): void {
    if (this.isMisplaced) return;
    this.isMisplaced = true;
    const { logger } = this.options.watching;
    logger.warn(
      'There is no peering: by namespaces, it is for operators that serve some of them, not the whole cluster.',
    );
  }
}

const NOTHING_TO_JOIN: MembershipFactory = () => {
  throw new Error('There is nothing to join.');
};
