import type { Clock } from 'kube-common';

/** The pressure on the processing of one object: newer events are waiting, so its sleeps are interrupted. */
export class Pressure {
  private raised = false;
  private wake?: () => void;

  raise(): void {
    this.raised = true;
    this.wake?.();
  }

  clear(): void {
    this.raised = false;
  }

  /**
   * Sleeps for the given time, or until newer events come. Only one sleep is possible at a time.
   *
   * @param enough ends the sleep when it resolves, as if the whole time was slept; must not reject.
   * @returns whether the whole time was slept.
   */
  sleep(clock: Clock, seconds: number, enough?: Promise<unknown>): Promise<boolean> {
    if (seconds <= 0) return Promise.resolve(true);
    if (this.raised) return Promise.resolve(false);
    return new Promise((resolve) => {
      let isOver = false;
      const finish = (slept: boolean): void => {
        if (isOver) return;
        isOver = true;
        timer.cancel();
        this.wake = undefined;
        resolve(slept);
      };
      const timer = clock.setTimer(() => finish(true), seconds * 1000);
      this.wake = () => finish(false);
      void enough?.then(() => finish(true));
    });
  }
}
