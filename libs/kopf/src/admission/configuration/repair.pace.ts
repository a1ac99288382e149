import type { Clock } from '../../common/clock.js';

/** Seconds until the next repair; the last one repeats. Several replicas may stop one after another. */
const DELAYS = [0.1, 0.1, 0.1, 1, 2, 5, 10];

/** Counts as normal so many repairs in a row; more are a conflict. */
const USUAL_REPAIRS = 3;

/** Counts the repairs anew after so many milliseconds without any. */
const QUIET = 60_000;

/**
 * Computes the delay until a configuration that others have changed is repaired: none at first, growing while the conflict goes
 * on.
 */
export class RepairPace {
  private count = 0;
  private lastAt = -Infinity;

  constructor(private readonly clock: Clock) {}

  /** Is true for the repair that makes it likely that another operator manages the same configuration. */
  get isConflict(): boolean {
    return this.count === USUAL_REPAIRS + 1;
  }

  /** Seconds until the next repair may be done. */
  get delay(): number {
    return DELAYS[Math.min(this.recent, DELAYS.length - 1)];
  }

  /** Takes notice of a repair. */
  record(): void {
    this.count = this.recent + 1;
    this.lastAt = this.clock.monotonic();
  }

  private get recent(): number {
    return this.clock.monotonic() - this.lastAt > QUIET ? 0 : this.count;
  }
}
