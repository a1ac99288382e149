import type { Clock, ClockTimer } from '../../common/clock.js';
import { KillableProcess } from '../../testing/killable.process.js';

/** A process of the operator in a run: it can be killed, can stand still, and its wall clock can be wrong. */
export class WorldProcess extends KillableProcess {
  private wallOffset = 0;
  private thawing?: Promise<void>;
  private melt?: () => void;
  /** The timers that were due while it stood still. */
  private readonly late = new Set<() => void>();

  /** @param offset how far its wall clock is ahead from the beginning, in milliseconds */
  constructor(clock: Clock, offset: number) {
    super(clock);
    this.wallOffset = offset;
  }

  /** Settles when the process goes on; absent if it does not stand still. */
  get thawed(): Promise<void> | undefined {
    return this.thawing;
  }

  /** Lets the process stand still: its timers wait. */
  freeze(): void {
    this.thawing ??= new Promise((resolve) => (this.melt = resolve));
  }

  /**
   * Lets the process go on.
   *
   * @param first which come first: the timers that are late, in their order, or what has waited for answers. In a real process, it can be
   * either, as answers are read before timers are looked at.
   */
  thaw(first: 'timers' | 'answers'): void {
    const { melt } = this;
    this.thawing = this.melt = undefined;
    if (first === 'timers') this.fireLate();
    else super.setTimer(() => this.fireLate(), 0);
    melt?.();
  }

  /** Lets the wall clock jump. */
  jumpClock(milliseconds: number): void {
    this.wallOffset += milliseconds;
  }

  override now(): number {
    return super.now() + this.wallOffset;
  }

  override setTimer(callback: () => void, milliseconds: number): ClockTimer {
    const fire = (): void => callback();
    const timer = super.setTimer(() => {
      if (this.thawing) this.late.add(fire);
      else fire();
    }, milliseconds);
    return {
      cancel: () => {
        this.late.delete(fire);
        timer.cancel();
      },
    };
  }

  private fireLate(): void {
    const { late } = this;
    for (const fire of late) {
      // It may have been killed, or stand still once more.
      if (this.isDead || this.thawing) break;
      if (late.delete(fire)) fire();
    }
  }
}
