import type { Clock } from 'kube-common';
import { EventLoopLateness } from '../common/event-loop.lateness.js';

/** The interval of checks of the event loop, in milliseconds. */
const BEAT = 250;
/** The milliseconds for which a delay is kept; it is forgotten half a window later at most. */
const WINDOW = 60_000;

/** The measurement of how long the event loop is blocked. */
export class EventLoopDelay {
  private readonly lateness: EventLoopLateness;
  /** The longest delays of the present half of the window and of the one before, in milliseconds. */
  private present = 0;
  private before = 0;
  private halfUntil = 0;

  constructor(private readonly clock: Clock) {
    this.lateness = new EventLoopLateness(clock, BEAT, (delay, now) => this.record(delay, now));
  }

  /** Seconds for which the event loop was blocked at worst within the last minute. */
  get longest(): number {
    this.lateness.look();
    return Math.round(Math.max(this.present, this.before)) / 1000;
  }

  start(): void {
    this.halfUntil = this.clock.monotonic() + WINDOW / 2;
    this.lateness.start();
  }

  stop(): void {
    this.lateness.stop();
  }

  private record(delay: number, now: number): void {
    if (now >= this.halfUntil) {
      this.before = this.present;
      this.present = 0;
      this.halfUntil = now + WINDOW / 2;
    }
    this.present = Math.max(this.present, delay);
  }
}
