/**
 * The source of time. Everything in the library that reads the time or waits does it through a clock,
 * so that tests and simulations run on virtual time.
 */
export interface Clock {
  /** The wall-clock time in milliseconds since the epoch; for timestamps that are stored or compared with stored ones. */
  now(): number;
  /** A time in milliseconds that only goes forward; for durations and deadlines inside the process. */
  monotonic(): number;
  /** Calls `callback` once after `milliseconds`; a delay of 0 or less means as soon as possible, but never synchronously. */
  setTimer(callback: () => void, milliseconds: number): ClockTimer;
}

/** A pending call of {@link Clock.setTimer}. */
export interface ClockTimer {
  /** Prevents the call; harmless if it has happened already. */
  cancel(): void;
}

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
