import { setImmediate as immediate } from 'node:timers/promises';
import type { Clock } from 'kube-common';

/** The time after which other work has a turn, in milliseconds. */
const LONGEST_TURN = 10;

/** Waits until timers, sockets, and what waits for them have had their turn. */
export function nextTurn(): Promise<void> {
  return immediate();
}

/**
 * The turns of the event loop in long work. Promises that are settled already continue without a turn of the event loop between them, which
 * would hold up timers and sockets: code that does many steps in a row counts them here.
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
  private since = 0;
  private turn: Promise<void> | undefined;

  /**
   * @param clock measures how long a turn has taken; without one, only steps count. Virtual time stands still during a turn, so that what
   * is done in it does not depend on how fast the machine is.
   * @param limit the number of steps in one turn of the event loop. @default 500
   */
  constructor(
    private readonly clock?: Pick<Clock, 'monotonic'>,
    private readonly limit = 500,
  ) {}

  /** Counts a step. @returns the next turn of the event loop, if it is time to wait for it */
  step(): Promise<void> | undefined {
    this.turn ??= this.begin();
    this.steps += 1;
    return this.steps > this.limit || this.now() - this.since > LONGEST_TURN ? this.turn : undefined;
  }

  private async begin(): Promise<void> {
    this.since = this.now();
    await nextTurn();
    this.steps = 0;
    this.turn = undefined;
  }

  private now(): number {
    return this.clock?.monotonic() ?? 0;
  }
}
