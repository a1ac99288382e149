import { deadlineOf, type Peer } from './peers.js';

/** The observation of one peer. All times are on the monotonic clock, in milliseconds. */
interface Sighting {
  readonly record: string;
  /** The time at which the record was seen in its present state for the first time. */
  readonly since: number;
  /** Whether the peer has written the record while this operator was watching. */
  readonly isWritten: boolean;
  /**
   * The time at which the record was seen last. It is kept for some time, as a peer comes back if another operator has removed its record.
   */
  readonly seenAt: number;
}

/** The number of lifetimes for which a removed record is remembered. */
const MEMORY = 10;

/**
 * The observation of peers by the local clock, which decides how long they live even if a clock is wrong.
 *
 * A record that was written while this operator was watching is alive for its lifetime from then on, whatever time it contains. An older
 * record is evaluated by the wall clock, as in Kopf, but does not live longer than its lifetime.
 */
export class PeerObservation {
  private readonly sightings = new Map<string, Sighting>();

  /**
   * Returns the peers with times as if all clocks were the local one.
   *
   * @param now the wall-clock time in milliseconds.
   * @param monotonic the monotonic time in milliseconds.
   */
  localize(peers: readonly Peer[], now: number, monotonic: number): Peer[] {
    const localized = peers.map((peer) => {
      const record = JSON.stringify([peer.lastSeen, peer.lifetime, peer.priority]);
      const before = this.sightings.get(peer.identity);
      const isSame = before?.record === record;
      const sighting: Sighting = {
        record,
        since: isSame ? before.since : monotonic,
        isWritten: isSame ? before.isWritten : before !== undefined,
        seenAt: monotonic,
      };
      this.sightings.set(peer.identity, sighting);
      const lifetime = peer.lifetime * 1000;
      const left = sighting.since + lifetime - monotonic;
      const claimed = deadlineOf(peer) - now;
      return { ...peer, lastSeen: now + (sighting.isWritten ? left : Math.min(left, claimed)) - lifetime };
    });
    this.forgetOld(peers, monotonic);
    return localized;
  }

  private forgetOld(peers: readonly Peer[], monotonic: number): void {
    if (this.sightings.size === peers.length) return;
    for (const [identity, { record, seenAt }] of this.sightings) {
      const [, lifetime] = JSON.parse(record) as number[];
      if (monotonic - seenAt > MEMORY * 1000 * Math.max(1, lifetime)) this.sightings.delete(identity);
    }
  }
}
