import type { Random } from './random.interface.js';

/** Real randomness. No other place of the library draws it. */
export class SystemRandom implements Random {
  next(): number {
    return Math.random();
  }
}
