import type { Random } from '../../common/random.js';

const LONGEST_DELAY = 30;
const SHORTEST_REPEATED_DELAY = 0.1;

/**
 * Computes the pauses between attempts: the first one is short, then they double up to 30 seconds until there is progress.
 *
 * All but the first are randomized, so that many watches do not reconnect at the same time.
 */
export class WatchBackoff {
  private attempts = 0;

  /** @param first the first pause in seconds. */
  constructor(
    private readonly first: () => number,
    private readonly random: Random,
  ) {}

  /** Counts the pauses since the last progress. */
  get failures(): number {
    return this.attempts;
  }

  /** Tells that things work, and the next pause is a first one. */
  reset(): void {
    this.attempts = 0;
  }

  /**
   * The next pause in seconds.
   *
   * @param least the shortest pause that makes sense, such as what the server asks for.
   */
  next(least = 0): number {
    const first = this.first();
    const attempt = this.attempts++;
    if (attempt === 0) return Math.max(first, least);
    const doubled = Math.max(first, SHORTEST_REPEATED_DELAY) * 2 ** Math.min(attempt, 30);
    const delay = Math.min(doubled, LONGEST_DELAY) * (0.5 + this.random.next() / 2);
    return Math.max(delay, least);
  }
}
