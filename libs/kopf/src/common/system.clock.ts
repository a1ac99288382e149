import type { Clock, ClockTimer } from './clock.interface.js';

/** The longest delay of a Node timer; a longer one would fire at once. */
const LONGEST_DELAY = 2 ** 31 - 1;

/** The real time. The only place of the library that reads it. */
export class SystemClock implements Clock {
  now(): number {
    return Date.now();
  }

  monotonic(): number {
    return performance.now();
  }

  setTimer(callback: () => void, milliseconds: number): ClockTimer {
    const deadline = this.monotonic() + milliseconds;
    const fire = (): void => {
      const left = deadline - this.monotonic();
      if (left > LONGEST_DELAY) timer = setTimeout(fire, LONGEST_DELAY);
      else callback();
    };
    let timer = milliseconds > LONGEST_DELAY ? setTimeout(fire, LONGEST_DELAY) : setTimeout(callback, milliseconds);
    return { cancel: () => clearTimeout(timer) };
  }
}
