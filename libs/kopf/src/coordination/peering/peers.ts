import type { KopfLogger } from '../../common/kopf.logger.js';
import { parseTimestamp } from 'kube-common';
import type { Resource } from '../../resources/resources.js';

/** An operator as it is recorded in a peering object. */
export interface Peer {
  readonly identity: string;
  readonly priority: number;
  /** Seconds after {@link lastSeen} for which the operator counts as alive. */
  readonly lifetime: number;
  /** The time of the last keep-alive, in milliseconds since the epoch. */
  readonly lastSeen: number;
  /** The reason, if the peer is a person who pauses operators by `kopf freeze`. */
  readonly message?: string;
}

/** Computes the time at which the peer expires without another keep-alive, in milliseconds since the epoch. */
export function deadlineOf({ lastSeen, lifetime }: Peer): number {
  return lastSeen + lifetime * 1000;
}

/**
 * Reads the peers in the status of a peering object. Unknown members are ignored; missing and unreadable ones get defaults: the priority 0,
 * a lifetime of 60 seconds, and a keep-alive just now.
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

/** Lists peers with their priorities, for messages. */
function describePeers(peers: readonly Peer[]): string {
  return peers.map(({ identity, priority }) => `${identity} (${priority})`).join(', ');
}

/** The status of one peering object. */
export interface PeeringStatus {
  readonly resource: Resource;
  /** The namespace; `undefined` for a cluster-wide object. */
  readonly namespace: string | undefined;
  readonly name: string;
  /** Whether the object exists. */
  readonly exists: boolean;
  readonly rank: PeeringRank;
  /** All operators in the object, including this one, as of the last change of the object. */
  readonly peers: readonly Peer[];
  /** The identities of the operators for which this one pauses. */
  readonly blockers: readonly string[];
}

/**
 * The rank of the operator among its peers.
 *
 * * `first`: no other operator has a higher priority, or conflicts by having the same one, so this one works.
 * * `outranked`: another operator has a higher priority, so this one pauses.
 * * `conflict`: another operator has the same priority, so both pause. With shard selectors there is no such conflict.
 */
export type PeeringRank = 'first' | 'outranked' | 'conflict';

/** The evaluation of all peers at one time. */
export interface PeerEvaluation {
  readonly rank: PeeringRank;
  /** The living peers for which the operator pauses. */
  readonly blockers: readonly Peer[];
  /** The peers without a keep-alive within their lifetimes. */
  readonly dead: readonly Peer[];
  /** The time at which the first blocker expires, in milliseconds since the epoch. */
  readonly reviewAt?: number;
}

/** The evaluation without any peers. */
export const ALONE: PeerEvaluation = { rank: 'first', blockers: [], dead: [] };

/**
 * Decides whether the operator works or pauses.
 *
 * @param now the wall-clock time in milliseconds.
 * @param isSharded whether peers of the same priority have other objects, by their shard selectors.
 */
export function evaluatePeers(
  peers: readonly Peer[],
  self: Pick<Peer, 'identity' | 'priority'>,
  now: number,
  isSharded = false,
): PeerEvaluation {
  const others = peers.filter(({ identity }) => identity !== self.identity);
  const dead = others.filter((peer) => deadlineOf(peer) <= now);
  const living = others.filter((peer) => deadlineOf(peer) > now);
  const higher = living.filter(({ priority }) => priority > self.priority);
  const same = isSharded ? [] : living.filter(({ priority }) => priority === self.priority);
  const blockers = [...higher, ...same];
  const reviewAt = blockers.length > 0 ? Math.min(...blockers.map(deadlineOf)) : undefined;
  const rank = higher.length > 0 ? 'outranked' : same.length > 0 ? 'conflict' : 'first';
  return { rank, blockers, dead, reviewAt };
}

/** Whether any of the peers for which the operator paused has expired now. */
export function hasExpiredBlocker(blockers: readonly Peer[], { dead }: PeerEvaluation): boolean {
  return blockers.some((blocker) => dead.some(({ identity }) => identity === blocker.identity));
}

/** Logs what has changed for the operator: that it pauses for other operators, or works. */
export function reportEvaluation(evaluation: PeerEvaluation, before: PeerEvaluation, logger: KopfLogger): void {
  const { rank, blockers } = evaluation;
  const names = describePeers(blockers);
  if (rank === before.rank && names === describePeers(before.blockers)) return;
  if (rank === 'outranked') logger.debug(`Operators of a higher priority are at work: ${names}.`);
  else if (rank === 'first') logger.debug('The operators because of which this one had to pause have gone.');
  else logger.warn(`All operators of the same priority pause, this one too, until only one is left: ${names}.`);
}

/**
 * Computes the seconds until the next keep-alive: somewhat less than the lifetime, and randomized, so that the keep-alives of several
 * operators are spread.
 *
 * @param lifetime in seconds.
 * @param randomness a number in `[0, 1)`.
 */
export function keepAliveDelay(lifetime: number, randomness: number): number {
  return Math.max(1, Math.min(lifetime, lifetime - (5 + Math.floor(randomness * 6))));
}
