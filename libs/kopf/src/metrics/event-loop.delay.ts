import type { Clock, ClockTimer } from '../common/clock.js';

/** Sets how often the event loop is looked at, in milliseconds. */
const BEAT = 250;
/** Limits how long a delay is remembered, in milliseconds; it is forgotten half a window later at most. */
const WINDOW = 60_000;

/** Measures for how long the event loop is blocked, by the lateness of a timer. */
export class EventLoopDelay {
  private timer?: ClockTimer;
  private expectedAt = Infinity;
  /** The longest delays of the present half of the window and of the one before, in milliseconds. */
  private present = 0;
  private before = 0;
  private halfUntil = 0;

  constructor(private readonly clock: Clock) {}

  /** Seconds for which the event loop was blocked at worst within the last minute. */
  get longest(): number {
    // A scrape can have its turn before the late timer.
    this.note();
    return Math.round(Math.max(this.present, this.before)) / 1000;
  }

  start(): void {
    this.halfUntil = this.clock.monotonic() + WINDOW / 2;
    this.arm();
  }

  stop(): void {
    this.timer?.cancel();
    this.expectedAt = Infinity;
  }

  private arm(): void {
    this.expectedAt = this.clock.monotonic() + BEAT;
    this.timer = this.clock.setTimer(() => {
      this.note();
      this.arm();
    }, BEAT);
  }

  private note(): void {
    const now = this.clock.monotonic();
    if (now >= this.halfUntil) {
      this.before = this.present;
      this.present = 0;
      this.halfUntil = now + WINDOW / 2;
    }
    this.present = Math.max(this.present, now - this.expectedAt);
  }
}
