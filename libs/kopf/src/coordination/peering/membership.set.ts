import { BehaviorSubject, type Observable } from 'rxjs';
import type { Clock, Random } from 'kube-common';
import { DEFAULT_OPERATOR } from '../../kopf.tokens.js';
import type { PeeringSettings } from '../../settings/coordination.settings.js';
import { resourceKey } from '../../resources/resources.js';
import { detectIdentity } from './identity.js';
import type { PeeringPlace } from './peering.client.js';
import type { PeeringMembership } from './peering.membership.js';
import type { PeeringStatus } from './peers.js';

/** Makes the membership in the peering object of a place; `onStatus` is to be called when its status changes. */
export type MembershipFactory = (place: PeeringPlace, onStatus: () => void) => PeeringMembership;

/** Joins and leaves peering objects, one membership for each of them, and gathers what they know. */
export class MembershipSet {
  private readonly memberships = new Map<string, PeeringMembership>();
  private readonly statuses = new BehaviorSubject<readonly PeeringStatus[]>([]);
  private ownIdentity?: string;

  constructor(
    private readonly settings: PeeringSettings,
    private readonly clock: Clock,
    private readonly random: Random,
    /** The name of the operator, as several operators of one process have the same `POD_ID`. */
    private readonly operator: string,
  ) {}

  /** The name under which the others know this operator; the same until the process ends. */
  get identity(): string {
    return this.settings.identity ?? (this.ownIdentity ??= this.detectOwn());
  }

  /** Reports each peering object that the operator uses; empty if it works without any. */
  get status(): readonly PeeringStatus[] {
    return this.statuses.value;
  }

  /** The status now, and its changes as they happen. */
  get status$(): Observable<readonly PeeringStatus[]> {
    return this.statuses.asObservable();
  }

  /** Writes down that this operator is alive, now, not only when it is time to. Never rejects: failures are logged. */
  async touch(): Promise<void> {
    await Promise.all([...this.memberships.values()].map((membership) => membership.touch()));
  }

  /**
   * Joins the peering objects that are missing, and leaves those that are not needed any more.
   *
   * @returns when the evaluation of all of them is known, or cannot be found out for the time being.
   */
  async adjust(places: readonly PeeringPlace[], factory: MembershipFactory): Promise<void> {
    const wanted = new Map(places.map((place) => [placeKey(place), place]));
    const redundant = [...this.memberships.keys()].filter((key) => !wanted.has(key));
    await Promise.all(redundant.map((key) => this.leaveOne(key)));
    for (const [key, place] of wanted) {
      if (this.memberships.has(key)) continue;
      const membership = factory(place, () => this.publish());
      this.memberships.set(key, membership);
      membership.start();
    }
    await Promise.all([...this.memberships.values()].map(({ decided }) => decided));
    this.publish();
  }

  private detectOwn(): string {
    const identity = detectIdentity(this.clock, this.random);
    return this.operator === DEFAULT_OPERATOR ? identity : `${identity}/${this.operator}`;
  }

  private async leaveOne(key: string): Promise<void> {
    const membership = this.memberships.get(key);
    this.memberships.delete(key);
    await membership?.stop();
  }

  private publish(): void {
    this.statuses.next([...this.memberships.values()].map(({ status }) => status));
  }
}

function placeKey({ resource, namespace, name }: PeeringPlace): string {
  return JSON.stringify([resourceKey(resource), namespace, name]);
}
