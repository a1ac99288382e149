import type { Authority } from '../engines/pausing/authority.js';
import type { Clock } from '../interfaces/clock.interface.js';
import { Pressure } from '../utils/pressure.js';
import type { Slots } from './slots.js';

/** One object's turn to be processed: it holds a slot, but not while it sleeps, and newer events end its sleeps. */
export class ObjectTurn {
  readonly pressure = new Pressure();
  /** Whether the object is known to have gone: what bears its name now, if anything, is another one. */
  isGone = false;
  private outdated = false;
  private authority?: Authority;
  private right?: AbortSignal;

  constructor(
    readonly clock: Clock,
    private readonly slots: Slots,
  ) {}

  /** Whether the operator has paused since the event came: other operators may have changed the object. */
  get isOutdated(): boolean {
    return this.outdated;
  }

  /** Aborted when the right is lost with which the event is processed; absent if it cannot be lost. */
  get signal(): AbortSignal | undefined {
    return this.right;
  }

  /** Whether what the event has led to can be stored. */
  get isCovered(): boolean {
    return !this.authority || !this.right || this.authority.covers(this.right);
  }

  /** Begins with the next event. */
  begin(authority?: Authority): void {
    this.outdated = false;
    this.authority = authority;
    this.right = authority?.signal;
  }

  /** Ends the sleeps, and the event in progress as soon as possible. */
  interrupt(): void {
    this.outdated = true;
    this.pressure.raise();
  }

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
