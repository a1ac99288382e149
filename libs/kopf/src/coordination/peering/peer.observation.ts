import { deadlineOf, type Peer } from './peers.js';

/** What was seen of one peer. All times are on the monotonic clock, in milliseconds. */
interface Sighting {
  readonly record: string;
  /** When the record was seen as it is for the first time. */
  readonly since: number;
  /** Whether the peer has written it while this operator was looking. */
  readonly isWritten: boolean;
  /** When the record was seen last; peers come back after others have removed their records. */
  readonly seenAt: number;
}

/** The lifetimes for which a record that has gone is remembered. */
const MEMORY = 10;

/**
 * Judges by the local clock how long peers live whose own clocks are wrong, or where the local one is.
 *
 * What a peer writes while this operator looks is alive for its lifetime from then on, whatever time it has written. What was there before
 * is judged by the wall clock, as in Kopf, but does not live longer than its lifetime.
 */
export class PeerObservation {
  private readonly sightings = new Map<string, Sighting>();

  /**
   * Gives the peers as if all clocks were the local one.
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
