import type { ActivityTracker } from '../records/activity.tracker.js';
import type { WaitOptions } from '../kopf-test.options.js';
import { REAL_PATIENCE, type TestTime } from './test.time.js';

/** The waiting of a test for what its operator does, with as much time passing as it takes. */
export class TestWaiting {
  constructor(
    private readonly time: TestTime,
    private readonly activity: ActivityTracker,
  ) {}

  /** Lets time pass until the promise is settled. */
  async until<T>(promise: Promise<T>): Promise<T> {
    let isSettled = false;
    const mark = (): void => void (isSettled = true);
    promise.then(mark, mark);
    await this.poll(
      () => isSettled,
      {},
      () => 'Nothing has settled the promise',
    );
    return promise;
  }

  /** Lets everything happen that needs no time to pass. */
  settle(): Promise<void> {
    return this.time.settle(this.activity);
  }

  /** Lets time pass until the check succeeds; it is made again when something has happened. */
  async untilTrue(
    check: () => Promise<boolean>,
    options: WaitOptions,
    explain: () => string | Promise<string>,
  ): Promise<void> {
    let seen = -1;
    const checkChanged = async (): Promise<boolean> => {
      if (this.activity.total === seen) return false;
      seen = this.activity.total;
      return check();
    };
    await this.poll(checkChanged, options, explain);
  }

  /** Lets time pass until the assertion does not throw any more. */
  async untilPassed<T>(assertion: () => T | Promise<T>, options: WaitOptions): Promise<T> {
    let outcome: { readonly result: T } | undefined;
    let lastError: unknown;
    const attempt = async (): Promise<boolean> => {
      await this.settle();
      try {
        outcome = { result: await assertion() };
      } catch (error) {
        lastError = error;
      }
      return outcome !== undefined;
    };
    try {
      await this.poll(attempt, options, () => 'The assertion has failed');
    } catch (error) {
      if (outcome === undefined && lastError !== undefined) throw lastError;
      throw error;
    }
    return outcome!.result;
  }

  private async poll(
    check: () => boolean | Promise<boolean>,
    { within = this.time.patience }: WaitOptions,
    explain: () => string | Promise<string>,
  ): Promise<void> {
    const until = this.time.clock.monotonic() + within * 1000;
    const deadline = performance.now() + REAL_PATIENCE;
    for (;;) {
      await this.time.yield();
      if (await check()) return;
      if (!(await this.time.step(until))) break;
      if (this.time.isVirtual && performance.now() > deadline) {
        throw new Error(`${await explain()}, and ${REAL_PATIENCE / 1000} seconds of real time are over.`);
      }
    }
    if (await check()) return;
    throw new Error(`${await explain()} within ${within} seconds.`);
  }
}
