import { backoffDelay } from '../common/backoff.js';
import type { Clock } from 'kube-common';
import type { KopfLogger } from '../common/kopf.logger.js';
import { EventLoopBlockedError } from './event-loop.blockage.js';

/** The worker of an object, as far as its throttler uses it. */
export interface Sleeper {
  /** Sleeps for the given seconds, unless newer events come. @returns whether the whole time was slept */
  sleep(seconds: number): Promise<boolean>;
  /** Whether an error only says that the operator has lost its leadership, so that another operator continues with the object. */
  isLeadershipLoss?(error: unknown): boolean;
}

/**
 * The throttling of one object: after consecutive unexpected errors, its processing pauses for growing times, so that a repeated error does
 * not flood the cluster and the logs. Events of the object wait in the meantime.
 */
export class Throttler {
  private failures = 0;
  private activeUntil?: number;

  constructor(
    private readonly clock: Clock,
    /** Returns the seconds of the pauses after the first, the second, … consecutive error; the last one repeats. */
    private readonly delays: () => readonly number[],
  ) {}

  /** Whether the object is throttled now. */
  get isActive(): boolean {
    return this.activeUntil !== undefined;
  }

  /**
   * Runs the operation until it succeeds, with pauses in between. Gives up if newer events are waiting, which are processed instead, or if
   * there are no delays: then the next event is the next attempt.
   *
   * @param isLast whether no newer event can come, as the object is gone: then there is a single attempt, without a pause before it.
   * @returns the result of the operation; `undefined` if it has given up.
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
