// common: time, randomness, logging, backoff and JSON values.
// Stands at the bottom because everything else needs it, and because only what is injected can run on virtual time.
// Nothing here knows Kubernetes.
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

/** A time as objects carry it, in UTC with seconds: `2024-05-01T10:00:00Z`. */
export function timestamp(milliseconds: number): string {
  return `${new Date(milliseconds).toISOString().slice(0, 19)}Z`;
}
