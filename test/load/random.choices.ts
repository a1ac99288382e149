import type { Random } from 'nestjs-kopf';

/** Draws lots. */
export class Chance {
  constructor(private readonly random: Random) {}

  /** Whether something of this probability happens. */
  of(probability: number): boolean {
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
