import type { Clock } from './clock.interface.js';
import { sleep } from './sleep.js';

/** Wakes one waiting loop. A signal that is raised while the loop does not wait is not lost. */
export class Signal {
  private controller = new AbortController();

  raise(): void {
    this.controller.abort();
  }

  /** Waits until the signal is raised, the seconds are over (without them, there is no limit), or the abort signal is aborted. */
  async wait(clock: Clock, seconds: number | undefined, abort: AbortSignal): Promise<void> {
    const ended = AbortSignal.any([this.controller.signal, abort]);
    if (seconds !== undefined) await sleep(clock, seconds, ended);
    else if (!ended.aborted) {
      await new Promise<void>((resolve) => ended.addEventListener('abort', () => resolve(), { once: true }));
    }
    this.controller = new AbortController();
  }
}
