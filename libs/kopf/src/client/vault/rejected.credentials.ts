import type { Clock } from '../../interfaces/clock.interface.js';
import type { ConnectionInfo } from '../../interfaces/connection-info.interface.js';
import { isSameConnection } from './connection-info.checks.js';

const REMEMBERED_PER_KEY = 3;
const SHORTEST_BAN = 60_000;
const LONGEST_BAN = 15 * 60_000;

interface Rejection {
  readonly info: ConnectionInfo;
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

  add(key: string, info: ConnectionInfo): void {
    const rejections = this.#rejections.get(key) ?? [];
    const earlier = rejections.find((rejection) => isSameConnection(rejection.info, info));
    const times = (earlier?.times ?? 0) + 1;
    const until = this.clock.monotonic() + Math.min(SHORTEST_BAN * 2 ** (times - 1), LONGEST_BAN);
    const others = rejections.filter((rejection) => rejection !== earlier);
    this.#rejections.set(key, [...others, { info, times, until }].slice(-REMEMBERED_PER_KEY));
  }

  has(key: string, info: ConnectionInfo): boolean {
    const now = this.clock.monotonic();
    const rejections = this.#rejections.get(key) ?? [];
    return rejections.some((rejection) => now < rejection.until && isSameConnection(rejection.info, info));
  }
}
