import type { TimerHandler } from '../registry/handler.js';

/** One invocation of a timer that has succeeded; times are in milliseconds of the monotonic clock. */
export interface TimerInvocation {
  /** Tells when the invocation was due. */
  readonly started: number;
  readonly finished: number;
  /** Tells when the object's essence was changed last. */
  readonly idleResetAt: number;
}

/**
 * Computes when a timer is due again after an invocation: the time, `'onChange'` if it waits for the object to change first, or
 * `'never'` if it has no schedule.
 *
 * A sharp timer keeps to the grid of its beginning, and leaves out the slots that have passed meanwhile.
 */
export function nextInvocation(handler: TimerHandler, invocation: TimerInvocation): number | 'onChange' | 'never' {
  const { interval, sharp, idle } = handler;
  const { started, finished, idleResetAt } = invocation;
  if (interval !== undefined) {
    const milliseconds = interval * 1000;
    if (!sharp) return finished + milliseconds;
    return started + (Math.floor((finished - started) / milliseconds) + 1) * milliseconds;
  }
  if (idle === undefined) return 'never';
  return idleResetAt > started ? idleResetAt + idle * 1000 : 'onChange';
}
