import type { Clock, ClockTimer } from 'kube-common';

/** Notices for how long the event loop is blocked, by the lateness of a timer. */
export class EventLoopLateness {
  private timer?: ClockTimer;
  private expectedAt = Infinity;

  /**
   * @param interval how often the event loop is looked at, in milliseconds.
   * @param onLateness is told at each look how late it is, and when that was, both in milliseconds; not late is 0.
   */
  constructor(
    private readonly clock: Clock,
    private readonly interval: number,
    private readonly onLateness: (lateness: number, now: number) => void,
  ) {}

  start(): void {
    this.expectedAt = this.clock.monotonic() + this.interval;
    this.timer = this.clock.setTimer(() => {
      this.look();
      this.start();
    }, this.interval);
  }

  stop(): void {
    this.timer?.cancel();
    this.expectedAt = Infinity;
  }

  /** Looks now, as whoever asks can have its turn before the late timer. */
  look(): void {
    const now = this.clock.monotonic();
    this.onLateness(Math.max(0, now - this.expectedAt), now);
  }
}
