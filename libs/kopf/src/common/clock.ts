// common: what the library needs whatever it is about: clock, randomness, logger, errors, sleeping, timers.
// Nothing here knows Kubernetes or handlers, and everything is injected, so that operators run on virtual time and
// reproducible randomness. Something belongs here only if two folders need it and no concept of theirs owns it.
// May import: nothing of this library.

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

/**
 * Makes a time of day that only goes forward, and by as much as time passes, also when the clock is set: for what is kept in the memory, and
 * is shown as a time of day or compared with one.
 *
 * @returns the milliseconds since the epoch, if the clock is right now.
 */
export function steadyTime(clock: Clock): () => number {
  const offset = clock.now() - clock.monotonic();
  return () => offset + clock.monotonic();
}

/**
 * Says when something has happened inside the process, as the clock of the machine is set now: if this is done again later, the times since then
 * stay right.
 *
 * @param monotonic the time by the monotonic clock, in milliseconds.
 * @returns whole milliseconds since the epoch.
 */
export function timeOfDay(clock: Clock, monotonic: number): number {
  return Math.round(clock.now() - (clock.monotonic() - monotonic));
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
