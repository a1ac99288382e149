import type { Random } from './random.interface.js';

/** Real chance. The only place of the library that draws it. */
export class SystemRandom implements Random {
  next(): number {
    return Math.random();
  }
}
