import type { TimerHandler } from '../registry/handler.js';
import { TimerRun } from './timer.run.js';

/** A handler of a timer with a cron expression. */
export type CronHandler = TimerHandler & Required<Pick<TimerHandler, 'schedule'>>;

/** The longest wait in milliseconds before the wall clock is looked at again: it can be set, and stands still in a sleeping machine. */
const LONGEST_WAIT = 600_000;

/** One timer of one object that is called at the times of a cron expression. */
export class CronRun extends TimerRun<CronHandler> {
  /** The time of the next invocation by the wall clock, in milliseconds. */
  private time = 0;

  override start(): void {
    this.planNext(this.tools.heap.now() + this.initialDelay() * 1000);
  }

  protected override onTime(): void {
    if (this.tools.heap.now() < this.time) this.wait();
    else super.onTime();
  }

  protected override scheduleNext(): void {
    this.planNext(this.tools.heap.now());
  }

  private planNext(after: number): void {
    const time = this.handler.schedule.next(after);
    if (time === undefined) return this.exit();
    this.time = time;
    this.wait();
  }

  private wait(): void {
    const { heap } = this.tools;
    heap.schedule(this, heap.monotonic() + Math.min(this.time - heap.now(), LONGEST_WAIT));
  }
}
