import {
  ApiError,
  ApiForbiddenError,
  ApiServerError,
  ApiTooManyRequestsError,
  ConnectionError,
} from '../api/api.errors.js';
import type { NetworkingSettings } from '../../settings/client.settings.js';

/**
 * Selects the failures that are retried: `transient` ones, where the server could not be reached, failed, or is overloaded; by
 * `default` also missing permissions, as new ones take some time to reach all servers.
 */
export type RetryScope = 'default' | 'transient';

/** Checks whether a request that failed with this error can succeed later. */
export function isRetriable(error: unknown, scope: RetryScope): error is ConnectionError | ApiError {
  return (
    error instanceof ConnectionError ||
    error instanceof ApiServerError ||
    error instanceof ApiTooManyRequestsError ||
    (scope === 'default' && error instanceof ApiForbiddenError)
  );
}

/**
 * Checks whether the server may have carried out the request though it failed: the answer was lost, or says nothing about it. A
 * server that names a time to ask again has done nothing.
 */
export function isOutcomeUnknown(error: unknown): boolean {
  if (error instanceof ConnectionError) return !error.unsent;
  return error instanceof ApiServerError && error.retryAfter === undefined;
}

/**
 * Seconds to wait before the next attempt.
 *
 * @param attempt the number of the attempt that failed, from 1.
 * @returns `undefined` if there are no attempts left.
 */
export function retryDelay(settings: NetworkingSettings, attempt: number, error: unknown): number | undefined {
  const backoff = settings.errorBackoffs[attempt - 1];
  const asked = error instanceof ApiError ? error.retryAfter : undefined;
  if (backoff === undefined || asked === undefined) return backoff;
  return settings.enforceRetryAfter ? asked : Math.max(asked, backoff);
}
