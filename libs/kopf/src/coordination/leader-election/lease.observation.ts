import { isDeepStrictEqual } from 'node:util';
import type { LeaseSpec } from './lease.js';

/**
 * Remembers since when a Lease has not changed, by the local clock: the clocks of other machines can be wrong, so the times in
 * the Lease itself are not compared with anything.
 */
export class LeaseObservation {
  private spec?: LeaseSpec;
  private since = 0;

  /** @param now the monotonic time in milliseconds. */
  observe(spec: LeaseSpec | undefined, now: number): void {
    if (this.spec !== undefined && isDeepStrictEqual(spec, this.spec)) return;
    this.spec = spec;
    this.since = now;
  }

  /**
   * Tells when the Lease can be taken, on the monotonic clock; `-Infinity` if nobody else holds it.
   *
   * @param duration seconds that count if the holder does not say any.
   */
  freeAt(identity: string, duration: number): number {
    const { holderIdentity, leaseDurationSeconds } = this.spec ?? {};
    if (!holderIdentity || holderIdentity === identity) return -Infinity;
    return this.since + (leaseDurationSeconds ?? duration) * 1000;
  }

  get holder(): string {
    return this.spec?.holderIdentity ?? '';
  }
}
