import { Inject, Injectable } from '@nestjs/common';
import type { Observable } from 'rxjs';
import { MembershipSet } from './membership.set.js';
import type { Peer, PeeringStatus } from './peers.js';
import { InspectedAs } from '../../common/inspection.js';

/**
 * Knows which other operators there are, as far as they use the same peering objects.
 *
 * @example
 * peering.status$.subscribe((peerings) => peerings.forEach(({ name, rank }) => console.log(name, rank)));
 */
@Injectable()
@InspectedAs<KopfPeering>(({ identity, paused }) => ({ identity, paused }))
export class KopfPeering {
  /** @internal */
  constructor(@Inject(MembershipSet) private readonly memberships: MembershipSet) {}

  /** The name under which the others know this operator; the same until the process ends. */
  get identity(): string {
    return this.memberships.identity;
  }

  /** Reports each peering object that the operator uses; empty if it works without any. */
  get status(): readonly PeeringStatus[] {
    return this.memberships.status;
  }

  /** The status now, and its changes as they happen. */
  get status$(): Observable<readonly PeeringStatus[]> {
    return this.memberships.status$;
  }

  /** Tells whether other operators make this one pause. */
  get paused(): boolean {
    return this.status.some(({ rank }) => rank !== 'first');
  }

  /** All operators that were seen, this one included, each once. */
  get peers(): readonly Peer[] {
    const peers = this.status.flatMap((status) => status.peers);
    return [...new Map(peers.map((peer) => [peer.identity, peer])).values()];
  }

  /** Writes down that this operator is alive, now, not only when it is time to. Never rejects: failures are logged. */
  async touch(): Promise<void> {
    await this.memberships.touch();
  }
}
