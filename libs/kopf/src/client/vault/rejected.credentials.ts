import { backoffDelay } from '../../common/backoff.js';
import type { Clock } from '../../common/clock.js';
import { type ConnectionInfo, isSameConnection } from './connection-info.js';

const REMEMBERED_PER_KEY = 3;
const BANS = { first: 60_000, longest: 15 * 60_000 };

/** Credentials as they were tried. */
export interface TriedCredentials {
  readonly key: string;
  readonly info: ConnectionInfo;
  /** Holds the contents of the certificate and key files, as certificates are replaced in the same files. */
  readonly files: string;
  /** As whom they act, if they tell. */
  readonly user?: string;
}

interface Rejection {
  readonly tried: TriedCredentials;
  readonly times: number;
  readonly until: number;
}

/**
 * Remembers which credentials the server did not accept, so that a login handler that returns the same ones again
 * and again does not cause an endless row of logins.
 *
 * A ban ends after a minute, then after two, and so on up to 15 minutes: the server itself could have been wrong.
 */
export class RejectedCredentials {
  readonly #rejections = new Map<string, Rejection[]>();

  constructor(private readonly clock: Clock) {}

  add(tried: TriedCredentials): void {
    const { key, info, files } = tried;
    const rejections = this.#rejections.get(key) ?? [];
    const earlier = rejections.find((rejection) => isSame(rejection.tried, tried));
    const times = (earlier?.times ?? 0) + 1;
    const until = this.clock.monotonic() + backoffDelay(BANS, times);
    const others = rejections.filter((rejection) => rejection !== earlier);
    const rejection = { tried: { key, info, files }, times, until };
    this.#rejections.set(key, [...others, rejection].slice(-REMEMBERED_PER_KEY));
  }

  has(tried: TriedCredentials): boolean {
    const now = this.clock.monotonic();
    const rejections = this.#rejections.get(tried.key) ?? [];
    return rejections.some((rejection) => now < rejection.until && isSame(rejection.tried, tried));
  }
}

function isSame(one: TriedCredentials, other: TriedCredentials): boolean {
  return one.files === other.files && isSameConnection(one.info, other.info);
}
