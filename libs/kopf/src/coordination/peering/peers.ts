import type { KopfLogger } from '../../common/kopf.logger.js';
import { parseTimestamp } from 'kube-common';
import type { Resource } from '../../resources/resources.js';

/** Describes one operator as it has written itself into a peering object. */
export interface Peer {
  readonly identity: string;
  readonly priority: number;
  /** Seconds after {@link lastSeen} for which it counts as alive. */
  readonly lifetime: number;
  /** Tells when the peer was seen last, in milliseconds since the epoch. */
  readonly lastSeen: number;
  /** Says why; of people who pause operators by `kopf freeze`. */
  readonly message?: string;
}

/** Computes when the peer expires, in milliseconds since the epoch, unless it sends another keep-alive. */
export function deadlineOf({ lastSeen, lifetime }: Peer): number {
  return lastSeen + lifetime * 1000;
}

/**
 * Reads the peers out of the status of a peering object. Unknown members are ignored; missing and unreadable ones
 * have their defaults: the priority 0, a lifetime of 60 seconds, heard of just now.
 *
 * @param now the wall-clock time in milliseconds.
 */
export function readPeers(status: unknown, now: number): Peer[] {
  if (typeof status !== 'object' || status === null) return [];
  return Object.entries(status).flatMap(([identity, record]: [string, unknown]) => {
    if (typeof record !== 'object' || record === null) return [];
    const { priority, lifetime, lastseen, message } = record as Record<string, unknown>;
    return {
      identity,
      priority: readInteger(priority, 0),
      lifetime: readInteger(lifetime, 60),
      lastSeen: parseTimestamp(lastseen) ?? now,
      ...(typeof message === 'string' && { message }),
    };
  });
}

function readInteger(value: unknown, fallback: number): number {
  const isReadable = typeof value === 'bigint' || (typeof value === 'string' && value.trim() !== '');
  const number = isReadable ? Number(value) : value;
  return typeof number === 'number' && Number.isFinite(number) ? Math.trunc(number) : fallback;
}

/** Names peers with their priorities, for messages. */
function describePeers(peers: readonly Peer[]): string {
  return peers.map(({ identity, priority }) => `${identity} (${priority})`).join(', ');
}

/** Reports the state of one peering object. */
export interface PeeringStatus {
  readonly resource: Resource;
  /** `undefined` for a cluster-wide one. */
  readonly namespace: string | undefined;
  readonly name: string;
  /** Tells whether the object exists. */
  readonly exists: boolean;
  readonly rank: PeeringRank;
  /** All operators in it, this one included, as they were when the object has changed for the last time. */
  readonly peers: readonly Peer[];
  /** The identities of those because of which this operator pauses. */
  readonly blockers: readonly string[];
}

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

/** The evaluation of no peers. */
export const ALONE: PeerEvaluation = { rank: 'first', blockers: [], dead: [] };

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

/** Logs what has changed for the operator, if anything has: that it pauses because of others, or works. */
export function reportEvaluation(evaluation: PeerEvaluation, before: PeerEvaluation, logger: KopfLogger): void {
  const { rank, blockers } = evaluation;
  const names = describePeers(blockers);
  if (rank === before.rank && names === describePeers(before.blockers)) return;
  if (rank === 'outranked') logger.debug(`Operators of a higher priority are at work: ${names}.`);
  else if (rank === 'first') logger.debug('The operators because of which this one had to pause have gone.');
  else logger.warn(`All operators of the same priority pause, this one too, until only one is left: ${names}.`);
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
