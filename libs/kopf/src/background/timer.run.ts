import type { ProgressState } from '../execution/progress.state.js';
import type { TimerHandler } from '../registry/handler.js';
import type { KopfSettings } from '../settings/kopf.settings.js';
import { BackgroundRun, LEADERSHIP_POLLING } from './background.run.js';
import { nextInvocation } from './timer.schedule.js';

/** One timer of one object. Between invocations, it is a place in the heap of timers and nothing else. */
export class TimerRun<H extends TimerHandler = TimerHandler> extends BackgroundRun<H> {
  protected isRunning = false;
  /** Is true while the timer waits for the object to change, with no time set. */
  private isIdle = false;
  /** Kept only between an error and the next attempt. */
  protected state?: ProgressState;

  protected get isRoutine(): boolean {
    return true;
  }

  start(): void {
    const now = this.tools.heap.monotonic();
    const delay = this.initialDelay();
    this.due = now;
    if (delay > 0) this.tools.heap.schedule(this, now + delay * 1000);
    else this.onTime();
  }

  override onIdlingReset(): void {
    if (!this.isIdle || this.stopper.isSet) return;
    this.isIdle = false;
    this.tools.heap.schedule(this, this.idleUntil);
  }

  protected onTime(): void {
    if (this.idleUntil > this.tools.heap.monotonic()) {
      this.tools.heap.schedule(this, this.idleUntil);
      return;
    }
    if (!this.isAllowed) {
      this.tools.heap.schedule(this, this.tools.heap.monotonic() + LEADERSHIP_POLLING * 1000);
      return;
    }
    this.isRunning = true;
    void this.run(this.due).catch((error: unknown) => this.fail(error));
  }

  protected onStop(): void {
    if (!this.isRunning) this.exit();
  }

  private get idleUntil(): number {
    const { idle } = this.handler;
    return idle === undefined ? 0 : this.owner.idleResetAt + idle * 1000;
  }

  private async run(started: number): Promise<void> {
    const { heap, settings } = this.tools;
    const state = (this.state ??= this.createState());
    const attempt = this.createAttempt(state);
    await this.conclude(attempt, await this.execute(attempt));
    this.isRunning = false;
    if (this.stopper.isSet) return this.exit();
    if (!state.done) return heap.schedule(this, heap.monotonic() + Math.min(...state.delays) * 1000);

    this.state = undefined;
    if (state.counts.failure > 0 && this.endsWithFailure(settings)) return this.exit();
    this.scheduleNext(started);
  }

  /** Tells whether the timer ends when it fails for good. */
  protected endsWithFailure({ background }: KopfSettings): boolean {
    return background.timerFailures === 'stop';
  }

  /** Sets the time of the next invocation after one that has ended, or exits. */
  protected scheduleNext(started: number): void {
    const { heap } = this.tools;
    const { idleResetAt } = this.owner;
    const next = nextInvocation(this.handler, { started, finished: heap.monotonic(), idleResetAt });
    if (next === 'never') this.exit();
    else if (next === 'onChange') this.isIdle = true;
    else heap.schedule(this, next);
  }
}
