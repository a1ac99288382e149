import {
  ApiClientError,
  ApiError,
  ApiForbiddenError,
  ApiGoneError,
  ApiNotFoundError,
  ApiTooManyRequestsError,
  ConnectionError,
  WatchStreamError,
} from '../api/api.errors.js';

/** The class of a watch's failure, which decides how the watch continues. */
export interface WatchFailure {
  readonly state: 'backingOff' | 'forbidden' | 'gone';
  /** Whether a new list is needed, as the watch cannot be resumed from the last version. */
  readonly relist: boolean;
  /** Whether the failure belongs to normal operation, so that it is logged at debug level only. */
  readonly expected: boolean;
  /** The shortest reasonable pause, in seconds. */
  readonly delay: number;
}

/** The number of consecutive failures after which a new list is requested, as the version may not be valid. */
const TRUSTED_RESUMES = 3;

/** The shortest pause in seconds after failures that may need a person to repair them. */
const REPAIR_DELAY = 1;

/**
 * Classifies a failure.
 *
 * @param opened whether the stream was open before the failure.
 * @param failures the number of failures since the last progress, without this one.
 */
export function classifyFailure(error: unknown, opened: boolean, failures: number): WatchFailure {
  const common = { state: 'backingOff', relist: false, expected: false, delay: 0 } as const;
  if (error instanceof ApiForbiddenError) return { ...common, state: 'forbidden', delay: REPAIR_DELAY };
  if (error instanceof ApiNotFoundError) return { ...common, state: 'gone', relist: true, delay: REPAIR_DELAY };
  if (error instanceof ApiGoneError) return { ...common, relist: true, expected: true };
  if (error instanceof ConnectionError) return { ...common, expected: opened };
  const delay = error instanceof ApiError ? (error.retryAfter ?? 0) : 0;
  if (error instanceof ApiTooManyRequestsError) return { ...common, delay };
  const reported = error instanceof WatchStreamError && error.cause !== undefined;
  const rejected = error instanceof ApiClientError;
  return { ...common, delay, relist: reported || rejected || failures >= TRUSTED_RESUMES };
}
