import type { Random } from 'nestjs-kopf';

/** Draws at random that repeats with its seed. */
export class Draw {
  constructor(private readonly random: Random) {}

  /** Whether something is so, with the probability. */
  chance(probability: number): boolean {
    return this.random.next() < probability;
  }

  /** An integer of the range, with both ends. */
  integer(from: number, to: number): number {
    return from + Math.floor(this.random.next() * (to - from + 1));
  }

  pick<T>(items: readonly T[]): T {
    return items[Math.floor(this.random.next() * items.length)];
  }

  /** Calls the function with the probability. */
  maybe<T>(probability: number, make: () => T): T | undefined {
    return this.chance(probability) ? make() : undefined;
  }

  /** Calls one of the functions, each as often as its weight says. */
  weighted<T>(choices: readonly (readonly [weight: number, make: () => T])[]): T {
    let left = this.random.next() * choices.reduce((sum, [weight]) => sum + weight, 0);
    for (const [weight, make] of choices) if ((left -= weight) < 0) return make();
    return choices[choices.length - 1][1]();
  }

  /** As many results of the function as is drawn. */
  several<T>(from: number, to: number, make: (index: number) => T): T[] {
    return Array.from({ length: this.integer(from, to) }, (_, index) => make(index));
  }
}
