import type { Clock, ClockTimer } from 'kube-common';

/** The measurement of how long the event loop is blocked, by the lateness of a timer. */
export class EventLoopLateness {
  private timer?: ClockTimer;
  private expectedAt = Infinity;

  /**
   * @param interval the interval of the measurements, in milliseconds.
   * @param onLateness called at each measurement with the lateness (0 if there is none) and its time, both in milliseconds.
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

  /** Measures now, as the caller can run before the late timer. */
  look(): void {
    const now = this.clock.monotonic();
    this.onLateness(Math.max(0, now - this.expectedAt), now);
  }
}
