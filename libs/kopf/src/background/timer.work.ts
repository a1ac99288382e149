import type { ProgressState } from '../execution/progress.state.js';
import type { BackgroundWork, WorkControl } from './background.work.js';
import { type HandlerCalls, LEADERSHIP_POLLING } from './handler.calls.js';
import type { InvocationTime, TimerSchedule } from './timer.schedule.js';

/**
 * The work of a timer: the handler is called by a schedule. Between invocations, the timer consists of its place in the heap of timers
 * only.
 */
export class TimerWork implements BackgroundWork {
  private isRunning = false;
  /** Whether the timer waits for a change of the object, without a scheduled time. */
  private isIdle = false;
  /** The time of the next invocation, by the clock of the schedule. */
  private time = 0;
  /** The progress between an error and the next attempt; absent otherwise. */
  private state?: ProgressState;

  constructor(
    private readonly run: WorkControl,
    private readonly calls: HandlerCalls,
    private readonly schedule: TimerSchedule,
  ) {}

  start(): void {
    const { run, calls, schedule } = this;
    const { heap } = calls.tools;
    const time = schedule.first(calls.initialDelay(), heap);
    if (typeof time !== 'number') return this.plan(time);
    const wakeUp = schedule.wakeUpAt(time, heap);
    if (wakeUp > heap.monotonic()) return this.plan(time);
    this.time = time;
    run.due = wakeUp;
    this.onTime();
  }

  onIdlingReset(): void {
    if (!this.isIdle || this.run.stopper.isSet) return;
    this.isIdle = false;
    const { heap } = this.calls.tools;
    this.run.schedule(this.postponedUntil() ?? heap.monotonic());
  }

  onTime(): void {
    const { run, calls } = this;
    const later = this.postponedUntil();
    if (later !== undefined) return run.schedule(later);
    if (!calls.isAllowed) return run.schedule(calls.tools.heap.monotonic() + LEADERSHIP_POLLING * 1000);
    this.isRunning = true;
    void this.attempt(run.due).catch((error: unknown) => run.fail(error));
  }

  onStop(): void {
    if (!this.isRunning) this.run.exit();
  }

  private async attempt(started: number): Promise<void> {
    const { run, calls } = this;
    const { heap, settings } = calls.tools;
    const state = (this.state ??= calls.createState());
    const attempt = calls.prepare(state);
    await calls.conclude(attempt, await calls.execute(attempt));
    this.isRunning = false;
    if (run.stopper.isSet) return run.exit();
    if (!state.done) return run.schedule(heap.monotonic() + Math.min(...state.delays) * 1000);

    this.state = undefined;
    if (state.counts.failure > 0 && settings.background.timerFailures === 'stop') return run.exit();
    const { idleResetAt } = calls.owner;
    this.plan(this.schedule.next({ started, finished: heap.monotonic(), idleResetAt }, heap));
  }

  private plan(time: InvocationTime): void {
    if (time === 'never') return this.run.exit();
    if (time === 'onChange') {
      this.isIdle = true;
      return;
    }
    this.time = time;
    this.run.schedule(this.schedule.wakeUpAt(time, this.calls.tools.heap));
  }

  /** The time until which the invocation has to wait; `undefined` if it can begin. */
  private postponedUntil(): number | undefined {
    const { owner, tools } = this.calls;
    return this.schedule.postponedUntil(this.time, owner.idleResetAt, tools.heap);
  }
}
