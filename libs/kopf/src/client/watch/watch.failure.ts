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

/** Classifies a failure of a watch, and tells how to go on after it. */
export interface WatchFailure {
  readonly state: 'backingOff' | 'forbidden' | 'gone';
  /** Requires a new list, as the last version cannot be resumed from. */
  readonly relist: boolean;
  /** Marks failures that belong to normal operation, so that they are logged at debug level only. */
  readonly expected: boolean;
  /** The shortest pause that makes sense, in seconds. */
  readonly delay: number;
}

/** Requires a new list after so many failures in a row, as the version may not be valid. */
const TRUSTED_RESUMES = 3;

/** Pauses of a second at least, where it can take people to repair it. */
const REPAIR_DELAY = 1;

/**
 * Decides what follows from a failure.
 *
 * @param opened whether the failure came after the stream was open.
 * @param failures how many failures there were since the last progress, without this one.
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
