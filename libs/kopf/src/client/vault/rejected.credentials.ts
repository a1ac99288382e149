import { backoffDelay } from '../../common/backoff.js';
import type { Clock } from 'kube-common';
import { type ConnectionInfo, isSameConnection } from './connection-info.js';

const REMEMBERED_PER_KEY = 3;

/**
 * The milliseconds for which credentials are banned after repeated rejections. They grow, and do not last for good, as the server itself
 * may have been wrong.
 */
const BANS = { first: 5000, longest: 60_000 };

/** The number of consecutive rejections that lead to a ban. */
const REFUSALS = 3;

/**
 * The milliseconds from the first to the last of these rejections, for an operator that has worked before, and for one that has not yet.
 */
const PATIENCE = { proven: 10_000, unproven: 2000 };

/** Milliseconds after which a rejection is independent of the one before. */
const INDEPENDENCE = 30_000;

/** Credentials as they were tried. */
export interface TriedCredentials {
  readonly key: string;
  readonly info: ConnectionInfo;
  /** The contents of the certificate and key files, as certificates are replaced in the same files. */
  readonly files: string;
  /** The user of the credentials, if they show one. */
  readonly user?: string;
}

/** The consecutive rejections of the same credentials. */
interface Rejection {
  readonly tried: TriedCredentials;
  readonly since: number;
  readonly latest: number;
  readonly refusals: number;
  /** The number of bans so far. The credentials are tried again after each. */
  readonly bans: number;
  readonly until: number;
}

/**
 * The credentials that the server has rejected, so that a login handler that keeps returning the same ones does not cause an endless series
 * of logins.
 *
 * A single response 401 is no proof: an API server whose authentication webhook restarts rejects all credentials for some seconds. So
 * credentials are banned only if they were rejected several times over ten seconds; or over two at the start of an operator, when there is
 * no work to lose. A ban ends after five seconds, then after ten, and so on up to a minute.
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

  /** Forgets the rejections of credentials that the server has accepted. */
  forget(tried: TriedCredentials): void {
    const left = (this.#rejections.get(tried.key) ?? []).filter((rejection) => !isSame(rejection.tried, tried));
    if (left.length > 0) this.#rejections.set(tried.key, left);
    else this.#rejections.delete(tried.key);
  }
}

function isSame(one: TriedCredentials, other: TriedCredentials): boolean {
  return one.files === other.files && isSameConnection(one.info, other.info);
}
