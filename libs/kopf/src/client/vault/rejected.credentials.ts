import { backoffDelay } from '../../common/backoff.js';
import type { Clock } from 'kube-common';
import { type ConnectionInfo, isSameConnection } from './connection-info.js';

const REMEMBERED_PER_KEY = 3;

/** Milliseconds for which credentials are not tried again that were refused again and again: the server itself can have been wrong. */
const BANS = { first: 5000, longest: 60_000 };

/** The refusals without any success in between that lead to a ban. */
const REFUSALS = 3;

/** The milliseconds from the first to the last of them, for an operator that has worked before, and for one that has not yet. */
const PATIENCE = { proven: 10_000, unproven: 2000 };

/** Milliseconds after which a refusal has nothing to do with the one before. */
const INDEPENDENCE = 30_000;

/** Credentials as they were tried. */
export interface TriedCredentials {
  readonly key: string;
  readonly info: ConnectionInfo;
  /** Holds the contents of the certificate and key files, as certificates are replaced in the same files. */
  readonly files: string;
  /** As whom they act, if they tell. */
  readonly user?: string;
}

/** A row of refusals of the same credentials, with no success in between. */
interface Rejection {
  readonly tried: TriedCredentials;
  readonly since: number;
  readonly latest: number;
  readonly refusals: number;
  /** Counts the bans of the row; the credentials are tried again after each. */
  readonly bans: number;
  readonly until: number;
}

/**
 * Remembers which credentials the server did not accept, so that a login handler that returns the same ones again
 * and again does not cause an endless row of logins.
 *
 * One answer 401 is no proof: an API server whose authentication webhook restarts refuses everybody for some seconds. So credentials are
 * banned only when they were refused several times over ten seconds, or over two at the start of an operator, when nothing is lost by it. A ban
 * ends after five seconds, then after ten, and so on up to a minute.
 */
export class RejectedCredentials {
  readonly #rejections = new Map<string, Rejection[]>();

  constructor(private readonly clock: Clock) {}

  /** @param isProven whether the server has accepted any credentials so far. */
  add({ key, info, files }: TriedCredentials, isProven: boolean): void {
    const now = this.clock.monotonic();
    const tried = { key, info, files };
    const known = this.#rejections.get(key) ?? [];
    const earlier = known.find((rejection) => isSame(rejection.tried, tried));
    const row = earlier && (earlier.bans > 0 || now - earlier.latest < INDEPENDENCE) ? earlier : undefined;
    const since = row?.since ?? now;
    const refusals = (row?.refusals ?? 0) + 1;
    const isBanned = refusals >= REFUSALS && now - since >= PATIENCE[isProven ? 'proven' : 'unproven'];
    const bans = (row?.bans ?? 0) + (isBanned ? 1 : 0);
    const until = isBanned ? now + backoffDelay(BANS, bans) : -Infinity;
    const others = known.filter((rejection) => rejection !== earlier);
    const rejection = { tried, since, latest: now, refusals, bans, until };
    this.#rejections.set(key, [...others, rejection].slice(-REMEMBERED_PER_KEY));
  }

  /** Whether the credentials are banned now. */
  has(tried: TriedCredentials): boolean {
    const now = this.clock.monotonic();
    const rejections = this.#rejections.get(tried.key) ?? [];
    return rejections.some((rejection) => now < rejection.until && isSame(rejection.tried, tried));
  }

  /** Forgets the refusals of credentials that the server has accepted. */
  forget(tried: TriedCredentials): void {
    const left = (this.#rejections.get(tried.key) ?? []).filter((rejection) => !isSame(rejection.tried, tried));
    if (left.length > 0) this.#rejections.set(tried.key, left);
    else this.#rejections.delete(tried.key);
  }
}

function isSame(one: TriedCredentials, other: TriedCredentials): boolean {
  return one.files === other.files && isSameConnection(one.info, other.info);
}
