import { backoffDelay } from '../common/backoff.js';
import type { Clock } from 'kube-common';
import type { KopfLogger } from '../common/kopf.logger.js';
import { EventLoopBlockedError } from './event-loop.blockage.js';

/** Sleeps for seconds, unless newer events come; tells whether the whole time was slept. */
export interface Sleeper {
  sleep(seconds: number): Promise<boolean>;
  /** Checks whether the error only says that the operator has lost its leadership, so that others go on with the object. */
  isLeadershipLoss?(error: unknown): boolean;
}

/**
 * Leaves one object alone for growing times after unexpected errors in a row, so that an error which repeats
 * does not flood the cluster and the logs. New events are taken meanwhile, but not processed.
 */
export class Throttler {
  private failures = 0;
  private activeUntil?: number;

  constructor(
    private readonly clock: Clock,
    /** Seconds after the first, the second, … error in a row; the last one repeats. */
    private readonly delays: () => readonly number[],
  ) {}

  /** Tells whether the object is left alone now. */
  get isActive(): boolean {
    return this.activeUntil !== undefined;
  }

  /**
   * Runs the operation until it succeeds, with the delays in between; gives up when newer events wait to be processed instead,
   * or if there are no delays: then the next event is the next attempt.
   *
   * @param isLast whether nothing newer can come, as the object has gone: then there is one attempt, and at once.
   * @returns what the operation has returned, or `undefined` if it has given up.
   */
  async run<T>(
    operation: () => Promise<T>,
    logger: KopfLogger,
    sleeper: Sleeper,
    isLast = false,
  ): Promise<T | undefined> {
    while (isLast || this.activeUntil === undefined || (await this.isOver(logger, sleeper, this.activeUntil))) {
      try {
        const result = await operation();
        this.failures = 0;
        return result;
      } catch (error) {
        if (sleeper.isLeadershipLoss?.(error)) {
          logger.warn('What the handlers did is not stored, as another operator may be at work.');
          return undefined;
        }
        const delays = this.delays();
        if (isLast || delays.length === 0) {
          logger.error(`Processing has failed due to an unexpected error: ${String(error)}`, error);
          return undefined;
        }
        this.failures += 1;
        const delay = backoffDelay(delays, this.failures);
        this.activeUntil = this.clock.monotonic() + delay * 1000;
        if (error instanceof EventLoopBlockedError) logger.warn(`Throttling for ${delay} seconds: ${error.message}`);
        else logger.error(`Throttling for ${delay} seconds due to an unexpected error: ${String(error)}`, error);
      }
    }
    return undefined;
  }

  private async isOver(logger: KopfLogger, sleeper: Sleeper, until: number): Promise<boolean> {
    const seconds = (until - this.clock.monotonic()) / 1000;
    if (!(await sleeper.sleep(seconds))) return false;
    this.activeUntil = undefined;
    logger.log('Throttling is over. Switching back to normal operations.');
    return true;
  }
}
