import type { Clock } from './clock.interface.js';
import { sleep } from './sleep.js';

/** Tells one waiting loop that there is something to do. Raised while nobody waits, it is not lost. */
export class Signal {
  private controller = new AbortController();

  raise(): void {
    this.controller.abort();
  }

  /** Waits until the signal is raised, the seconds are over (for ever without them), or the waiting is aborted. */
  async wait(clock: Clock, seconds: number | undefined, abort: AbortSignal): Promise<void> {
    const ended = AbortSignal.any([this.controller.signal, abort]);
    if (seconds !== undefined) await sleep(clock, seconds, ended);
    else if (!ended.aborted) {
      await new Promise<void>((resolve) => ended.addEventListener('abort', () => resolve(), { once: true }));
    }
    this.controller = new AbortController();
  }
}
