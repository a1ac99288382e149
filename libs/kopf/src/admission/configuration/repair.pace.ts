import type { Clock } from '../../common/clock.interface.js';

/** Seconds until the next repair; the last one repeats. Several replicas may stop one after another. */
const DELAYS = [0.1, 0.1, 0.1, 1, 2, 5, 10];

/** Counts as normal so many repairs in a row; more are a conflict. */
const USUAL_REPAIRS = 3;

/** After so many milliseconds without any repair, the next one is the first again. */
const QUIET = 60_000;

/** Decides how soon is repaired what somebody else has changed: at once, but ever later with somebody who does not give in. */
export class RepairPace {
  private count = 0;
  private lastAt = -Infinity;

  constructor(private readonly clock: Clock) {}

  /** Is true for the repair that makes it likely that somebody else wants the configuration otherwise. */
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
