import {
  ApiError,
  ApiForbiddenError,
  ApiServerError,
  ApiTooManyRequestsError,
  ConnectionError,
} from '../errors/api.errors.js';
import type { NetworkingSettings } from '../settings/networking.settings.js';

/**
 * Whether a request that failed so can succeed later: the server could not be reached, failed, or is overloaded;
 * or it does not permit the request, as new permissions take some time to reach all servers.
 */
export function isRetriable(error: unknown): error is ConnectionError | ApiError {
  return (
    error instanceof ConnectionError ||
    error instanceof ApiServerError ||
    error instanceof ApiForbiddenError ||
    error instanceof ApiTooManyRequestsError
  );
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
