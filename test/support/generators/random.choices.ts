import type { Random } from 'nestjs-kopf';

/** Random decisions of tests, which are the same again for the same seed of the random numbers. */
export class RandomChoices {
  constructor(private readonly random: Random) {}

  /** Returns `true` with this probability, from 0 to 1. */
  withProbability(probability: number): boolean {
    return this.random.next() < probability;
  }

  /** An integer from the first number up to the second, both included. */
  between(from: number, to: number): number {
    return from + Math.floor(this.random.next() * (to - from + 1));
  }

  pick<T>(items: readonly T[]): T {
    return items[Math.floor(this.random.next() * items.length)];
  }

  /** Calls the function with this probability. */
  maybe<T>(probability: number, make: () => T): T | undefined {
    return this.withProbability(probability) ? make() : undefined;
  }

  /** Calls one of the functions, each with a probability in proportion to its weight. */
  weighted<T>(choices: readonly (readonly [weight: number, make: () => T])[]): T {
    let left = this.random.next() * choices.reduce((sum, [weight]) => sum + weight, 0);
    for (const [weight, make] of choices) if ((left -= weight) < 0) return make();
    return choices[choices.length - 1][1]();
  }

  /** Calls the function as often as is drawn from the range, both ends included. */
  several<T>(from: number, to: number, make: (index: number) => T): T[] {
    return Array.from({ length: this.between(from, to) }, (_, index) => make(index));
  }
}
