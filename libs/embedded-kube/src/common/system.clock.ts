import type { Clock, ClockTimer } from './clock.js';

/** The machine's time. */
export class SystemClock implements Clock {
  now(): number {
    return Date.now();
  }

  monotonic(): number {
    return performance.now();
  }

  setTimer(callback: () => void, milliseconds: number): ClockTimer {
    const timer = setTimeout(callback, Math.min(milliseconds, 2 ** 31 - 1));
    return { cancel: () => clearTimeout(timer) };
  }
}
