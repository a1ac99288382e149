import { parseTimestamp } from '../../common/timestamps.js';

/** Describes one operator as it has written itself into a peering object. */
export interface Peer {
  readonly identity: string;
  readonly priority: number;
  /** Seconds after {@link lastSeen} for which it counts as alive. */
  readonly lifetime: number;
  /** Tells when the peer was seen last, in milliseconds since the epoch. */
  readonly lastSeen: number;
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
    const { priority, lifetime, lastseen } = record as Record<string, unknown>;
    return {
      identity,
      priority: readInteger(priority, 0),
      lifetime: readInteger(lifetime, 60),
      lastSeen: parseTimestamp(lastseen) ?? now,
    };
  });
}

function readInteger(value: unknown, fallback: number): number {
  const isReadable = typeof value === 'bigint' || (typeof value === 'string' && value.trim() !== '');
  const number = isReadable ? Number(value) : value;
  return typeof number === 'number' && Number.isFinite(number) ? Math.trunc(number) : fallback;
}

/** Names peers with their priorities, for messages. */
export function describePeers(peers: readonly Peer[]): string {
  return peers.map(({ identity, priority }) => `${identity} (${priority})`).join(', ');
}
