import { BehaviorSubject, type Observable } from 'rxjs';
import type { Clock, Random } from 'kube-common';
import { DEFAULT_OPERATOR } from '../../kopf.tokens.js';
import type { PeeringSettings } from '../../settings/coordination.settings.js';
import { resourceKey } from '../../resources/resources.js';
import { detectIdentity } from './identity.js';
import type { PeeringPlace } from './peering.client.js';
import type { PeeringMembership } from './peering.membership.js';
import type { PeeringStatus } from './peers.js';

/** A factory of the membership in the peering object of a place; `onStatus` is called when its status changes. */
export type MembershipFactory = (place: PeeringPlace, onStatus: () => void) => PeeringMembership;

/** The memberships of the operator in peering objects, one for each object. */
export class MembershipSet {
  private readonly memberships = new Map<string, PeeringMembership>();
  private readonly statuses = new BehaviorSubject<readonly PeeringStatus[]>([]);
  private ownIdentity?: string;

  constructor(
    private readonly settings: PeeringSettings,
    private readonly clock: Clock,
    private readonly random: Random,
    /** The name of the operator, which distinguishes several operators of one process with the same `POD_ID`. */
    private readonly operator: string,
  ) {}

  /** The identity by which other operators know this one; the same until the process ends. */
  get identity(): string {
    return this.settings.identity ?? (this.ownIdentity ??= this.detectOwn());
  }

  /** The status of each peering object that the operator uses; empty if it uses none. */
  get status(): readonly PeeringStatus[] {
    return this.statuses.value;
  }

  /** The status now, and its changes. */
  get status$(): Observable<readonly PeeringStatus[]> {
    return this.statuses.asObservable();
  }

  /** Writes a keep-alive of this operator now, before the next one is due. Never rejects: failures are logged. */
  async touch(): Promise<void> {
    await Promise.all([...this.memberships.values()].map((membership) => membership.touch()));
  }

  /**
   * Joins missing peering objects, and leaves those that are not needed any more.
   *
   * @returns when the evaluation of each of them is known, or cannot be known for the time being.
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
