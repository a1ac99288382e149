import { errorText } from 'kube-common';
import type { BackgroundWork, WorkControl } from './background.work.js';
import { type HandlerCalls, LEADERSHIP_POLLING } from './handler.calls.js';

/** The delay in seconds before each attempt to send the rest of the last patch, and the number of attempts. */
const LAST_PATCH = { delay: 1, attempts: 5 };

/** The work of a daemon: the handler is called until it returns, fails permanently, or is asked to stop. */
export class DaemonWork implements BackgroundWork {
  private isRunning = false;

  constructor(
    private readonly run: WorkControl,
    private readonly calls: HandlerCalls,
  ) {}

  start(): void {
    const delay = this.calls.initialDelay();
    if (delay > 0) this.run.schedule(this.calls.tools.heap.monotonic() + delay * 1000);
    else this.onTime();
  }

  onTime(): void {
    this.isRunning = true;
    // The promise never rejects.
    void this.work();
  }

  onStop(): void {
    if (!this.isRunning) this.run.exit();
  }

  private async work(): Promise<void> {
    const { run, calls } = this;
    try {
      const state = calls.createState();
      while (!run.stopper.isSet && !state.done) {
        if (!calls.isAllowed) {
          await run.stopper.wait(LEADERSHIP_POLLING);
          continue;
        }
        const attempt = calls.prepare(state);
        await calls.conclude(attempt, await calls.execute(attempt));
        // Other tasks get a turn of the event loop even if there is no delay.
        if (!state.done) await run.stopper.wait(Math.min(...state.delays));
      }
      await this.sendRemains();
      run.exit();
    } catch (error) {
      run.fail(error);
    }
  }

  private async sendRemains(): Promise<void> {
    const { run, calls } = this;
    for (let attempt = 0; calls.unsent && !run.isSettled && attempt < LAST_PATCH.attempts; attempt++) {
      await run.stopper.wait(LAST_PATCH.delay);
      const { unsent, rejection } = await calls.send(calls.owner.createCause(calls.unsent));
      if (rejection) this.reportLoss(rejection);
      calls.unsent = unsent;
    }
  }

  /** Reports that changes are lost: no further attempt of the handler can fail with the error. */
  private reportLoss(error: Error): void {
    const { logger, handler } = this.calls;
    logger.error(
      `${handler.title} wants changes that the API server rejects; they are lost: ${errorText(error)}`,
      error,
    );
  }
}
