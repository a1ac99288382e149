import { deadlineOf, type Peer } from './peer.js';

/**
 * Ranks the operator among its peers.
 *
 * * `first`: nobody has the same or a higher priority, so it works.
 * * `outranked`: others have a higher priority, so it pauses.
 * * `conflict`: others have the same priority, so all of them pause.
 */
export type PeeringRank = 'first' | 'outranked' | 'conflict';

/** Holds the evaluation of all peers at one time. */
export interface PeerEvaluation {
  readonly rank: PeeringRank;
  /** Living peers because of which the operator pauses. */
  readonly blockers: readonly Peer[];
  /** Peers of which nothing was heard for longer than their lifetime. */
  readonly dead: readonly Peer[];
  /** Tells when the first of the blockers expires, in milliseconds since the epoch. */
  readonly reviewAt?: number;
}

/** Decides whether the operator works or pauses, at the given wall-clock time in milliseconds. */
export function evaluatePeers(
  peers: readonly Peer[],
  self: Pick<Peer, 'identity' | 'priority'>,
  now: number,
): PeerEvaluation {
  const others = peers.filter(({ identity }) => identity !== self.identity);
  const dead = others.filter((peer) => deadlineOf(peer) <= now);
  const living = others.filter((peer) => deadlineOf(peer) > now);
  const higher = living.filter(({ priority }) => priority > self.priority);
  const same = living.filter(({ priority }) => priority === self.priority);
  const blockers = [...higher, ...same];
  const reviewAt = blockers.length > 0 ? Math.min(...blockers.map(deadlineOf)) : undefined;
  const rank = higher.length > 0 ? 'outranked' : same.length > 0 ? 'conflict' : 'first';
  return { rank, blockers, dead, reviewAt };
}

/** Checks whether any of the peers for which the operator paused has expired now. */
export function hasExpiredBlocker(blockers: readonly Peer[], { dead }: PeerEvaluation): boolean {
  return blockers.some((blocker) => dead.some(({ identity }) => identity === blocker.identity));
}

/**
 * Computes the seconds until the next keep-alive: a bit less than the lifetime, randomized, so that operators do not come all
 * at once.
 *
 * @param lifetime in seconds.
 * @param randomness a number in `[0, 1)`.
 */
export function keepAliveDelay(lifetime: number, randomness: number): number {
  return Math.max(1, Math.min(lifetime, lifetime - (5 + Math.floor(randomness * 6))));
}
