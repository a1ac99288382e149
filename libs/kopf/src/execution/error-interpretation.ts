import {
  HandlerChildrenRetry,
  HandlerRetriesError,
  HandlerTimeoutError,
  LeadershipLostError,
  PermanentError,
  ReviewNotReadyError,
  TemporaryError,
} from './handler.errors.js';
import type { ErrorsMode } from '../contexts/change-options.js';
import type { KopfLogger } from '../common/kopf.logger.js';
import type { Handler } from '../registry/handler.js';
import { errorText } from 'kube-common';
import type { Outcome } from './outcome.js';

/** The attempt in which an error was thrown. */
export interface FailedAttempt {
  readonly handler: Handler;
  /** The number of attempts before this one. */
  readonly retries: number;
  /** Seconds since the first attempt began. */
  readonly runtime: number;
  readonly errors: ErrorsMode;
  /** Seconds until the next attempt after an arbitrary error. */
  readonly backoff: number;
  readonly logger: KopfLogger;
  /** Whether the attempt reviews a request, so that an error can be its decision. @default false */
  readonly isReview?: boolean;
  readonly subrefs: ReadonlySet<string>;
}

/**
 * Turns what a handler has thrown into an outcome, and logs it: an expected error in a line, an unexpected one with its stack. If the next
 * attempt would exceed the timeout or the retries, the handler has failed permanently now.
 */
export function interpretError(thrown: unknown, attempt: FailedAttempt): Outcome {
  const { handler, backoff, logger, subrefs } = attempt;
  const error = isReadableError(thrown) ? thrown : new Error(errorText(thrown));
  const text = error.message || error.name;

  if (attempt.isReview) return interpretReview(error, text, attempt);
  if (error instanceof HandlerChildrenRetry) {
    logger.debug(() => `${handler.title} has unfinished sub-handlers. Will retry soon.`);
    return { final: false, delay: error.delay ?? undefined, error, subrefs };
  }
  if (error instanceof LeadershipLostError) {
    // The attempt is not stored, and is not repeated in this leadership term.
    logger.debug(() => `${handler.title} has ended without success: ${text}`);
    return { final: false, delay: backoff, error, subrefs };
  }
  if (error instanceof TemporaryError) {
    const delay = delayOf(error, attempt);
    const failure = exceedsLimits(attempt, delay ?? 0, `${handler.title} failed temporarily but`, text);
    logger.error(failure?.message ?? `${handler.title} failed temporarily: ${text}`);
    return failure ? { final: true, error: failure, subrefs } : { final: false, delay, error, subrefs };
  }
  if (error instanceof HandlerTimeoutError || error instanceof HandlerRetriesError) {
    logger.error(text);
    return { final: true, error, subrefs };
  }
  if (error instanceof PermanentError) {
    logger.error(`${handler.title} failed permanently: ${text}`);
    return { final: true, error, subrefs };
  }
  return interpretArbitraryError(error, text, attempt);
}

/**
 * Turns an error of a review into an outcome: a handler that rejects a request has not failed, and there is no other attempt in any case.
 */
function interpretReview(error: Error, text: string, { handler, logger, subrefs }: FailedAttempt): Outcome {
  if (error instanceof ReviewNotReadyError) {
    logger.debug(() => `${handler.title} could not decide: ${text}`);
    return { final: true, error, rejected: true, subrefs };
  }
  if (error instanceof PermanentError) {
    logger.log(`${handler.title} has rejected the request: ${text}`);
    return { final: true, error, rejected: true, subrefs };
  }
  if (error instanceof TemporaryError) logger.error(`${handler.title} failed temporarily: ${text}`);
  else logger.error(`${handler.title} failed with an exception and will stop now: ${text}`, error);
  return { final: true, error, subrefs };
}

/** Computes the seconds until the next attempt; `undefined` if it is made at once, without a time in the record, as in Kopf. */
function delayOf({ delay }: TemporaryError, { backoff }: FailedAttempt): number | undefined {
  if (delay === null) return undefined;
  // Delays are often computed. One that is not a number is replaced by the handler's backoff.
  return Number.isNaN(Number(delay)) ? backoff : Number(delay);
}

/** Whether an error has a text that can be stored and logged. Handlers can throw any value. */
function isReadableError(thrown: unknown): thrown is Error {
  try {
    return thrown instanceof Error && typeof thrown.message === 'string';
  } catch {
    return false;
  }
}

function interpretArbitraryError(error: Error, text: string, attempt: FailedAttempt): Outcome {
  const { handler, errors, backoff, logger, subrefs } = attempt;
  const prefix = `${handler.title} failed with an exception and`;
  if (errors === 'ignored') {
    logger.error(`${prefix} will ignore it: ${text}`, error);
    return { final: true, ignored: error, subrefs };
  }
  if (errors === 'permanent') {
    logger.error(`${prefix} will stop now: ${text}`, error);
    return { final: true, error, subrefs };
  }
  const failure = exceedsLimits(attempt, backoff, `${prefix} will stop now`, text, AFTER_ARBITRARY);
  logger.error(failure?.message ?? `${prefix} will try again in ${backoff} seconds: ${text}`, error);
  return failure ? { final: true, error: failure, subrefs } : { final: false, delay: backoff, error, subrefs };
}

/** The texts that explain why there is no next attempt. They are stored with the progress, so they are Kopf's. */
interface LimitTexts {
  timeout(seconds: number): string;
  retries(count: number): string;
}

const AFTER_TEMPORARY: LimitTexts = {
  timeout: (seconds) => `will time out after ${seconds} seconds`,
  retries: (count) => `will exceed ${count} retries`,
};

const AFTER_ARBITRARY: LimitTexts = {
  timeout: (seconds) => `(it would time out in ${seconds} seconds on the next attempt)`,
  retries: (count) => `(it would exceed ${count} retries on the next attempt)`,
};

function exceedsLimits(
  attempt: FailedAttempt,
  delay: number,
  prefix: string,
  text: string,
  texts = AFTER_TEMPORARY,
): PermanentError | undefined {
  const { timeout, retries } = attempt.handler;
  if (timeout !== undefined && attempt.runtime + delay >= timeout) {
    return new HandlerTimeoutError(`${prefix} ${texts.timeout(timeout)}: ${text}`);
  }
  if (retries !== undefined && attempt.retries + 1 >= retries) {
    return new HandlerRetriesError(`${prefix} ${texts.retries(retries)}: ${text}`);
  }
  return undefined;
}
