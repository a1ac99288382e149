import type { Clock } from '../interfaces/clock.interface.js';
import { Pressure } from '../utils/pressure.js';
import type { Slots } from './slots.js';

/** One object's turn to be processed: it holds a slot, but not while it sleeps, and newer events end its sleeps. */
export class ObjectTurn {
  readonly pressure = new Pressure();

  constructor(
    readonly clock: Clock,
    private readonly slots: Slots,
  ) {}

  /**
   * Sleeps for the given seconds, or until newer events come.
   *
   * @param enough ends the sleep, which counts as slept then.
   * @returns whether the whole time was slept.
   */
  async sleep(seconds: number, enough?: Promise<unknown>): Promise<boolean> {
    if (seconds <= 0) return true;
    return this.withoutSlot(() => this.pressure.sleep(this.clock, seconds, enough));
  }

  /** Waits without holding up others. */
  async withoutSlot<T>(wait: () => Promise<T>): Promise<T> {
    this.slots.release();
    try {
      return await wait();
    } finally {
      await this.slots.acquire();
    }
  }
}
