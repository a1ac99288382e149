import type { Clock } from 'kube-common';

/** Tells one object's work that newer events are waiting, and interrupts its sleeps then. */
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
   * Sleeps until the time is over or newer events come. Only one sleep can go on at a time.
   *
   * @param enough ends the sleep, which counts as slept then; must not reject.
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
