// common: what the operator needs whatever it is about, beside what all packages need, which is in kube-common: logger, errors, backoff, schedules,
// and fences of requests. Nothing here knows Kubernetes or handlers. Something belongs here only if two folders need it and no concept of
// theirs owns it.
// May import: nothing of this library but kube-common.

import type { Random } from 'kube-common';

/**
 * The pauses between attempts, in any one unit: doubled from failure to failure, up to the longest; or as they are listed,
 * the last one again and again.
 */
export type BackoffDelays = DoublingDelays | readonly number[];

/** Delays that double from failure to failure. */
export interface DoublingDelays {
  /** The delay after the first failure. */
  readonly first: number;
  /** The delay that is not exceeded after further failures. */
  readonly longest: number;
  /** The least delay that is doubled, so that a first delay of 0 grows as well. @default 0 */
  readonly leastDoubled?: number;
}

/** Limits the doubling to what numbers can hold. */
const MOST_DOUBLINGS = 30;

/**
 * Computes the delay before the next attempt.
 *
 * @param failures how many attempts have failed in a row, this one included.
 * @example backoffDelay({ first: 1, longest: 60 }, 3) // 4
 */
export function backoffDelay(delays: BackoffDelays, failures: number): number {
  if ('length' in delays) return delays[Math.min(failures, delays.length) - 1];
  const { first, longest, leastDoubled = 0 } = delays;
  if (failures <= 1) return first;
  return Math.min(Math.max(first, leastDoubled) * 2 ** Math.min(failures - 1, MOST_DOUBLINGS), longest);
}

/**
 * Grows the pauses between the attempts at something that fails, until it works again.
 *
 * With randomness, all but the first are shortened by up to a half, so that many do not try again at the same time.
 */
export class Backoff {
  private failed = 0;

  /** @param delays are looked at anew each time, as settings can change. */
  constructor(
    private readonly delays: () => BackoffDelays,
    private readonly random?: Random,
  ) {}

  /** Counts the failures since it has worked for the last time. */
  get failures(): number {
    return this.failed;
  }

  /** Tells that it works, so that the next pause is a first one. */
  reset(): void {
    this.failed = 0;
  }

  /**
   * Counts a failure.
   *
   * @param least the shortest pause that makes sense, such as what a server asks for.
   * @returns the pause until the next attempt.
   */
  next(least = 0): number {
    this.failed += 1;
    const delay = backoffDelay(this.delays(), this.failed);
    const isRandomized = this.random !== undefined && this.failed > 1;
    return Math.max(isRandomized ? delay * (0.5 + this.random.next() / 2) : delay, least);
  }
}
