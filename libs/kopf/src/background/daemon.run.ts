import type { DaemonHandler } from '../registry/handler.js';
import { BackgroundRun, LEADERSHIP_POLLING } from './background.run.js';

/** Seconds between the attempts to send what is left of the last patch, and how many of them there are. */
const LAST_PATCH = { delay: 1, attempts: 5 };

/** One daemon of one object: the handler is called until it returns, or fails for good, or is to stop. */
export class DaemonRun extends BackgroundRun<DaemonHandler> {
  private isRunning = false;

  protected get isRoutine(): boolean {
    return false;
  }

  start(): void {
    const delay = this.initialDelay();
    if (delay > 0) this.tools.heap.schedule(this, this.tools.heap.monotonic() + delay * 1000);
    else this.onTime();
  }

  protected onTime(): void {
    this.isRunning = true;
    // It never rejects.
    void this.run();
  }

  protected onStop(): void {
    if (!this.isRunning) this.exit();
  }

  private async run(): Promise<void> {
    try {
      const state = this.createState();
      while (!this.stopper.isSet && !state.done) {
        if (!this.isAllowed) {
          await this.stopper.wait(LEADERSHIP_POLLING);
          continue;
        }
        const attempt = this.createAttempt(state);
        await this.conclude(attempt, await this.execute(attempt));
        // Even without a delay, others get their turns.
        if (!state.done) await this.stopper.wait(Math.min(...state.delays));
      }
      await this.sendRemains();
      this.exit();
    } catch (error) {
      this.fail(error);
    }
  }

  private async sendRemains(): Promise<void> {
    for (let attempt = 0; this.unsent && !this.isSettled && attempt < LAST_PATCH.attempts; attempt++) {
      await this.stopper.wait(LAST_PATCH.delay);
      const { unsent, rejection } = await this.send(this.owner.createCause(this.unsent));
      if (rejection) this.reportLoss(rejection);
      this.unsent = unsent;
    }
  }
}
