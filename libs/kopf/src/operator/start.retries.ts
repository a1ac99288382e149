import { Inject, Injectable } from '@nestjs/common';
import { WatchEnvironment } from '../client/watch/watch.environment.js';
import { Backoff } from '../common/backoff.js';
import { type ClockTimer, errorText } from 'kube-common';
import { KopfBootstrapError, KopfOptionsError } from '../common/kopf.errors.js';
import type { KopfModuleOptions } from '../kopf.options.js';
import { InjectOwn, KOPF_OPTIONS } from '../kopf.tokens.js';

const CORRECTION =
  ' It does not start again by itself: correct this, and restart the application or call KopfOperator.start().';

/** Decides whether and when an operator starts again after it has failed, so that an application need not end with its operator. */
@Injectable()
export class StartRetries {
  readonly required: boolean;
  private readonly backoff: Backoff;
  private readonly longest: number;
  private timer?: ClockTimer;
  private reported?: string;
  private due?: number;
  private readySince?: number;

  constructor(
    @InjectOwn(KOPF_OPTIONS) { required = false }: KopfModuleOptions,
    @Inject(WatchEnvironment) private readonly environment: WatchEnvironment,
  ) {
    this.required = required;
    // A copy, as startup handlers can change settings, and must be tried again whatever they have made of them.
    const delays = [...environment.settings.process.startBackoffs];
    this.longest = Math.max(...delays);
    this.backoff = new Backoff(() => delays, environment.random);
  }

  /** The time of the next attempt, in milliseconds since the epoch; `undefined` if none is due. */
  get dueAt(): number | undefined {
    return this.due;
  }

  /**
   * Reports why the operator has failed, and has it started again later unless the failure is final.
   *
   * @returns whether there will be another attempt.
   */
  schedule(error: unknown, start: () => void): boolean {
    const { clock, logger } = this.environment;
    const reason = errorText(error);
    if (this.required || isStartError(error)) {
      logger.error(`The operator cannot work: ${reason}${this.required ? '' : CORRECTION}`);
      return false;
    }
    this.forgetFailures();
    const delay = this.backoff.next();
    const isNews = this.reported !== reason;
    this.reported = reason;
    const message = `The operator cannot work, and starts again in ${formatSeconds(delay)}: ${reason}`;
    // A cluster that is away for hours needs no line for each attempt.
    if (isNews) logger.error(message);
    else logger.debug(message);
    this.due = clock.now() + delay * 1000;
    this.timer = clock.setTimer(start, delay * 1000);
    return true;
  }

  /** Cancels the next attempt; the pauses still grow if a later one fails. */
  cancel(): void {
    this.timer?.cancel();
    this.timer = undefined;
    this.due = undefined;
  }

  /**
   * Records that the operator works. The pauses start from the shortest one again only after it has worked for long enough, so that it
   * does not fail in a loop.
   */
  noteReady(): void {
    this.readySince = this.environment.clock.monotonic();
  }

  /** Resets the pauses and the reports, as the operator is started from the beginning. */
  reset(): void {
    this.cancel();
    this.backoff.reset();
    this.reported = undefined;
    this.readySince = undefined;
  }

  private forgetFailures(): void {
    const { readySince } = this;
    this.readySince = undefined;
    if (readySince === undefined || this.environment.clock.monotonic() - readySince < this.longest * 1000) return;
    this.backoff.reset();
    this.reported = undefined;
  }
}

/** Checks whether the options or the code must be changed before another attempt makes sense. */
export function isStartError(error: unknown): boolean {
  return error instanceof KopfOptionsError || error instanceof KopfBootstrapError;
}

function formatSeconds(seconds: number): string {
  const rounded = Math.round(seconds * 10) / 10;
  return rounded === 1 ? '1 second' : `${rounded} seconds`;
}
