// common: what several folders need and no concept of theirs owns: logger, errors, backoff, schedules, and fences of requests. Nothing here
// depends on Kubernetes or handlers. What all packages need is in kube-common.
// May import: nothing of this library but kube-common.

import type { Random } from 'kube-common';

/** The pauses between attempts, in any one unit: doubled after each failure, up to the longest one; or a list, whose last pause repeats. */
export type BackoffDelays = DoublingDelays | readonly number[];

/** Delays that double after each failure. */
export interface DoublingDelays {
  /** The delay after the first failure. */
  readonly first: number;
  /** The longest delay. */
  readonly longest: number;
  /** The least delay that is doubled, so that a first delay of 0 grows, too. @default 0 */
  readonly leastDoubled?: number;
}

/** The most doublings, within the range of numbers. */
const MOST_DOUBLINGS = 30;

/**
 * Computes the delay before the next attempt.
 *
 * @param failures the number of attempts that have failed in a row, including this one.
 * @example backoffDelay({ first: 1, longest: 60 }, 3) // 4
 */
export function backoffDelay(delays: BackoffDelays, failures: number): number {
  if ('length' in delays) return delays[Math.min(failures, delays.length) - 1];
  const { first, longest, leastDoubled = 0 } = delays;
  if (failures <= 1) return first;
  return Math.min(Math.max(first, leastDoubled) * 2 ** Math.min(failures - 1, MOST_DOUBLINGS), longest);
}

/**
 * The growing pauses between the attempts of an operation, until it succeeds. With randomness, all but the first are shortened by up to a
 * half, so that many clients do not retry at the same time.
 */
export class Backoff {
  private failed = 0;

  /** @param delays the delays, which are read each time, as settings can change. */
  constructor(
    private readonly delays: () => BackoffDelays,
    private readonly random?: Random,
  ) {}

  /** The number of failures since the last success. */
  get failures(): number {
    return this.failed;
  }

  /** Resets the failures after a success, so that the next pause is a first one. */
  reset(): void {
    this.failed = 0;
  }

  /**
   * Counts a failure.
   *
   * @param least the shortest useful pause, such as the one that a server requests.
   * @returns the pause until the next attempt.
   */
  next(least = 0): number {
    this.failed += 1;
    const delay = backoffDelay(this.delays(), this.failed);
    const isRandomized = this.random !== undefined && this.failed > 1;
    return Math.max(isRandomized ? delay * (0.5 + this.random.next() / 2) : delay, least);
  }
}
