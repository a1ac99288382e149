import type { Clock, ClockTimer } from 'kube-common';
import { KillableProcess } from 'nestjs-kopf/testing';

/** A process of the operator in a run. It can be killed and frozen, and its wall clock can be wrong. */
export class WorldProcess extends KillableProcess {
  private wallOffset = 0;
  private thawing?: Promise<void>;
  private resume?: () => void;
  /** The timers that were due while the process was frozen. */
  private readonly late = new Set<() => void>();

  /** @param offset the milliseconds by which its wall clock is ahead from the beginning */
  constructor(clock: Clock, offset: number) {
    super(clock);
    this.wallOffset = offset;
  }

  /** Settles when the process continues; absent if it is not frozen. */
  get thawed(): Promise<void> | undefined {
    return this.thawing;
  }

  /** Freezes the process: its timers wait. */
  freeze(): void {
    this.thawing ??= new Promise((resolve) => (this.resume = resolve));
  }

  /**
   * Lets the process continue.
   *
   * @param first whether late timers fire first, in their order, or answers arrive first. A real process can do either, as it reads answers before it
   *   checks timers.
   */
  thaw(first: 'timers' | 'answers'): void {
    const { resume } = this;
    this.thawing = this.resume = undefined;
    if (first === 'timers') this.fireLate();
    else super.setTimer(() => this.fireLate(), 0);
    resume?.();
  }

  /** Makes the wall clock jump. */
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
      // The callback may have killed the process, or frozen it again.
      if (this.isDead || this.thawing) break;
      if (late.delete(fire)) fire();
    }
  }
}
