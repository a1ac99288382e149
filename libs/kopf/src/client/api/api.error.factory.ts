import {
  ApiClientError,
  ApiConflictError,
  ApiError,
  ApiForbiddenError,
  ApiGoneError,
  ApiNotFoundError,
  ApiRedirectError,
  ApiServerError,
  ApiTooManyRequestsError,
  ApiUnauthorizedError,
  ApiUnprocessableEntityError,
  type ApiErrorOptions,
  type StatusPayload,
} from './api.errors.js';

/** Holds the parts of an unsuccessful answer. */
export interface FailedAnswer {
  readonly method: string;
  readonly path: string;
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly text: string;
}

/**
 * Makes the error of an unsuccessful answer.
 *
 * @param now the wall-clock time in milliseconds, to understand a `Retry-After` that is a date.
 */
export function createApiError(answer: FailedAnswer, now: number): ApiError {
  const { method, path, status, headers } = answer;
  if (status >= 300 && status < 400) return createRedirectError(answer);
  const retryAfter = parseRetryAfter(headers['retry-after'], now);
  return instantiate({ method, path, status, retryAfter, payload: parseStatus(answer.text) });
}

/** Creates the error of a redirection. The body is not read, as it is a page for people. */
function createRedirectError({ method, path, status, headers }: FailedAnswer): ApiError {
  const location = describeLocation(headers.location);
  const where = location === undefined ? 'elsewhere' : `to ${location}`;
  const message = `the server redirects ${where}, which is not followed; is the server of the credentials an API server?`;
  return new ApiRedirectError({ method, path, status, location, payload: { kind: 'Status', message } });
}

/** Locations of logins have tokens in their queries. */
function describeLocation(location: string | undefined): string | undefined {
  if (!location) return undefined;
  return location.replace(/[?#].*$/s, '').replace(/^([a-z][a-z\d+.-]*:)?\/\/[^/]*@/i, '$1//');
}

/** Makes the error of a status that came inside of a successful answer, as watches send them. */
export function createStatusError(method: string, path: string, payload: StatusPayload): ApiError {
  return instantiate({ method, path, status: payload.code ?? 500, payload });
}

/** Checks that a value is a Kubernetes `Status`; nothing else gets into errors, as it could be anything. */
export function isStatus(value: unknown): value is StatusPayload {
  return typeof value === 'object' && value !== null && 'kind' in value && value.kind === 'Status';
}

/** Understands both forms of the header: seconds, and a date. Never negative. */
export function parseRetryAfter(value: string | undefined, now: number): number | undefined {
  if (!value) return undefined;
  const seconds = /^\s*\d+(\.\d+)?\s*$/.test(value) ? Number(value) : (Date.parse(value) - now) / 1000;
  return Number.isNaN(seconds) ? undefined : Math.max(0, seconds);
}

function parseStatus(text: string): StatusPayload | undefined {
  try {
    const payload: unknown = JSON.parse(text);
    return isStatus(payload) ? payload : undefined;
  } catch {
    return undefined;
  }
}

function instantiate(options: ApiErrorOptions): ApiError {
  switch (options.status) {
    case 401:
      return new ApiUnauthorizedError(options);
    case 403:
      return new ApiForbiddenError(options);
    case 404:
      return new ApiNotFoundError(options);
    case 409:
      return new ApiConflictError(options);
    case 410:
      return new ApiGoneError(options);
    case 422:
      return new ApiUnprocessableEntityError(options);
    case 429:
      return new ApiTooManyRequestsError(options);
  }
  if (options.status >= 400 && options.status < 500) return new ApiClientError(options);
  if (options.status >= 500 && options.status < 600) return new ApiServerError(options);
  return new ApiError(options);
}
