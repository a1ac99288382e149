import { SeededRandom } from 'nestjs-kopf/testing';

/** Draws the parts of a random operator from a seed. */
export class Draw {
  private readonly random: SeededRandom;

  constructor(seed: number) {
    this.random = new SeededRandom(seed);
  }

  /** A whole number from 0 on. @param count is the first number that is not drawn */
  number(count: number): number {
    return Math.floor(this.random.next() * count);
  }

  one<T>(choices: readonly T[]): T {
    return choices[this.number(choices.length)];
  }

  /** Returns true in this many of a hundred cases. */
  percent(cases: number): boolean {
    return this.number(100) < cases;
  }
}
