import { Inject, Injectable } from '@nestjs/common';
import type { Observable } from 'rxjs';
import { MembershipSet } from './membership.set.js';
import type { Peer, PeeringStatus } from './peers.js';
import { InspectedAs } from '../../common/inspection.js';

/**
 * The other operators that use the same peering objects, and the rank of this one among them.
 *
 * @example
 * peering.status$.subscribe((peerings) => peerings.forEach(({ name, rank }) => console.log(name, rank)));
 */
@Injectable()
@InspectedAs<KopfPeering>(({ identity, paused }) => ({ identity, paused }))
export class KopfPeering {
  /** @internal */
  constructor(@Inject(MembershipSet) private readonly memberships: MembershipSet) {}

  /** The identity by which other operators know this one; the same until the process ends. */
  get identity(): string {
    return this.memberships.identity;
  }

  /** The status of each peering object that the operator uses; empty if it uses none. */
  get status(): readonly PeeringStatus[] {
    return this.memberships.status;
  }

  /** The status now, and its changes. */
  get status$(): Observable<readonly PeeringStatus[]> {
    return this.memberships.status$;
  }

  /** Whether the operator pauses because of other operators. */
  get paused(): boolean {
    return this.status.some(({ rank }) => rank !== 'first');
  }

  /** All operators in the peering objects, including this one, each once. */
  get peers(): readonly Peer[] {
    const peers = this.status.flatMap((status) => status.peers);
    return [...new Map(peers.map((peer) => [peer.identity, peer])).values()];
  }

  /** Writes a keep-alive of this operator now, before the next one is due. Never rejects: failures are logged. */
  async touch(): Promise<void> {
    await this.memberships.touch();
  }
}
