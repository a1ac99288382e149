import type { Random } from 'nestjs-kopf';

/** Random decisions of tests, which repeat with the seed of their random numbers. */
export class RandomChoices {
  constructor(private readonly random: Random) {}

  /** Decides for something of this probability. */
  chance(probability: number): boolean {
    return this.random.next() < probability;
  }

  /** An integer from the first number up to the second, both included. */
  between(from: number, to: number): number {
    return from + Math.floor(this.random.next() * (to - from + 1));
  }

  pick<T>(items: readonly T[]): T {
    return items[Math.floor(this.random.next() * items.length)];
  }
}
