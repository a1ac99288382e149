import type { Eventual } from './eventual.js';
import { nextTurn } from './event-loop.turns.js';

/** Work in steps; between two of them other requests may be served. */
export type PacedSteps<Result> = Generator<void, Result, void>;

/**
 * Does work at once, up to where it yields; from there on with a turn of the event loop before each further part, so that long work does
 * not hold up other requests, and short work makes no promise.
 */
export function runPaced<Result>(steps: PacedSteps<Result>): Eventual<Result> {
  const first = steps.next();
  return first.done ? first.value : finish(steps);
}

async function finish<Result>(steps: PacedSteps<Result>): Promise<Result> {
  for (;;) {
    await nextTurn();
    const step = steps.next();
    if (step.done) return step.value;
  }
}
