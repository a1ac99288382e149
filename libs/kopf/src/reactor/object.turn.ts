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
   * @returns whether the whole time was slept.
   */
  async sleep(seconds: number): Promise<boolean> {
    if (seconds <= 0) return true;
    this.slots.release();
    try {
      return await this.pressure.sleep(this.clock, seconds);
    } finally {
      await this.slots.acquire();
    }
  }
}
