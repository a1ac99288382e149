import { setImmediate as immediate } from 'node:timers/promises';

/** Lets everybody else come to their turn: timers, sockets, and what waits for them. */
export function nextTurn(): Promise<void> {
  return immediate();
}

/**
 * Keeps long work from holding up the process: promises that are settled already go on without a turn of the event loop
 * between them, and so do neither timers nor sockets. Whoever does many steps in a row counts them here.
 *
 * @example
 * for (const name of names) {
 *   await this.delete(name);
 *   const pause = this.turns.step();
 *   if (pause) await pause;
 * }
 */
export class EventLoopTurns {
  private steps = 0;
  private turn: Promise<void> | undefined;

  /** @param limit how many steps may be done in one turn of the event loop. @default 500 */
  constructor(private readonly limit = 500) {}

  /** Counts a step. @returns the next turn of the event loop, if it is time to wait for it */
  step(): Promise<void> | undefined {
    this.turn ??= nextTurn().then(() => {
      this.steps = 0;
      this.turn = undefined;
    });
    this.steps += 1;
    return this.steps > this.limit ? this.turn : undefined;
  }
}
