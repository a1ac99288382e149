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
  ConnectionError,
} from './api.errors.js';
import { KopfError } from '../../common/kopf.errors.js';

/** The parts of an unsuccessful response. */
export interface FailedAnswer {
  readonly method: string;
  readonly path: string;
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly text: string;
}

/**
 * Creates the error of an unsuccessful response.
 *
 * @param now the wall-clock time in milliseconds, for a `Retry-After` that is a date if the response has no `Date`.
 * @param isProtected whether texts are omitted that can contain values of the object.
 */
export function createApiError(answer: FailedAnswer, now: number, isProtected = false): ApiError {
  const { method, path, status, headers } = answer;
  if (status >= 300 && status < 400) return createRedirectError(answer);
  const retryAfter = parseRetryAfter(headers['retry-after'], now, headers.date);
  const payload = parseStatus(answer.text);
  return instantiate({
    method,
    path,
    status,
    retryAfter,
    payload: isProtected ? concealTexts(status, payload) : payload,
  });
}

/** The beginning of messages by which API servers say that a webhook or a policy has denied a request. */
const DENIAL = /^.*?\bdenied (?:the )?request\b/s;

/**
 * Omits texts that can repeat values of the object: the causes of its invalidity, and the messages of webhooks and policies. Other texts,
 * such as those about permissions, contain only the name of the object.
 */
function concealTexts(status: number, payload: StatusPayload | undefined): StatusPayload | undefined {
  if (payload?.message === undefined) return payload;
  const [denial] = DENIAL.exec(payload.message) ?? [];
  if (denial === undefined && status !== 400 && status !== 422) return payload;
  const causes = payload.details?.causes?.map(({ field, reason }) => ({ field, reason }));
  const fields = causes
    ?.map(({ field = 'the object', reason }) => (reason ? `${field} (${reason})` : field))
    .join(', ');
  const message = denial ?? (fields || 'the reason is not shown, as it can hold values of the object');
  return { ...payload, message, details: payload.details && { ...payload.details, causes } };
}

/** Creates the error of a redirection. The body is not read, as it is a page for browsers. */
function createRedirectError({ method, path, status, headers }: FailedAnswer): ApiError {
  const location = describeLocation(headers.location);
  const where = location === undefined ? 'elsewhere' : `to ${location}`;
  const message = `the server redirects ${where}, which is not followed; is the server of the credentials an API server?`;
  return new ApiRedirectError({ method, path, status, location, payload: { kind: 'Status', message } });
}

/** Describes the location of a redirection without its query, as that of a login can contain tokens. */
function describeLocation(location: string | undefined): string | undefined {
  if (!location) return undefined;
  return location.replace(/[?#].*$/s, '').replace(/^([a-z][a-z\d+.-]*:)?\/\/[^/]*@/i, '$1//');
}

/** Creates the error of a status inside a successful response, as watches have them. */
export function createStatusError(method: string, path: string, payload: StatusPayload): ApiError {
  return instantiate({ method, path, status: payload.code ?? 500, payload });
}

/** Whether a value is a Kubernetes `Status`. Errors show no other bodies, as these could contain anything. */
export function isStatus(value: unknown): value is StatusPayload {
  return typeof value === 'object' && value !== null && 'kind' in value && value.kind === 'Status';
}

/** The most seconds until a date that only the local clock can evaluate, as it can be wrong by hours. */
const LONGEST_BY_DATE = 300;

/**
 * Parses both forms of `Retry-After`: seconds, and a date. Never negative.
 *
 * @param date the header `Date` of the response: the time of the server, which its other dates are relative to.
 */
export function parseRetryAfter(value: string | undefined, now: number, date?: string): number | undefined {
  if (!value) return undefined;
  if (/^\s*\d+(\.\d+)?\s*$/.test(value)) return Number(value);
  const serverTime = Date.parse(date ?? '');
  const longest = Number.isNaN(serverTime) ? LONGEST_BY_DATE : Infinity;
  const seconds = (Date.parse(value) - (Number.isNaN(serverTime) ? now : serverTime)) / 1000;
  return Number.isNaN(seconds) ? undefined : Math.min(Math.max(0, seconds), longest);
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

const EXPLANATIONS: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'connection refused',
  ECONNRESET: 'the connection was reset',
  EPIPE: 'the connection was reset',
  ENOTFOUND: 'the host is not known',
  EAI_AGAIN: 'the host name cannot be looked up now',
  EHOSTUNREACH: 'the host is not reachable',
  ENETUNREACH: 'the network is not reachable',
  ETIMEDOUT: 'the connection timed out',
  UND_ERR_CONNECT_TIMEOUT: 'the connection timed out',
  UND_ERR_HEADERS_TIMEOUT: 'no answer in time',
  UND_ERR_BODY_TIMEOUT: 'no complete answer in time',
  UND_ERR_SOCKET: 'the connection was closed',
  UND_ERR_CLOSED: 'the connections are closed',
  UND_ERR_DESTROYED: 'the connections are closed',
  DEPTH_ZERO_SELF_SIGNED_CERT: "the server's certificate is self-signed and its authority is not given",
  SELF_SIGNED_CERT_IN_CHAIN: "the server's certificate authority is not trusted",
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: "the server's certificate cannot be verified",
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: "the server's certificate authority is not given",
  CERT_HAS_EXPIRED: "the server's certificate has expired, unless the clock of this host is ahead",
  CERT_NOT_YET_VALID: "the server's certificate is not valid yet, unless the clock of this host is late",
};

/** The codes of failures to connect, after which the server cannot have received the request. */
const UNSENT: ReadonlySet<string> = new Set([
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'UND_ERR_CONNECT_TIMEOUT',
  'UND_ERR_CLOSED',
  'DEPTH_ZERO_SELF_SIGNED_CERT',
  'SELF_SIGNED_CERT_IN_CHAIN',
  'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
  'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
  'CERT_HAS_EXPIRED',
  'CERT_NOT_YET_VALID',
  'ERR_TLS_CERT_ALTNAME_INVALID',
]);

/**
 * Creates a readable error for whatever has prevented a response. Errors of this library are returned unchanged.
 *
 * @param what the method and the path, or another description of the attempt.
 * @param server the URL of the server, without credentials.
 */
export function createConnectionError(what: string, server: string, error: unknown): KopfError {
  if (error instanceof KopfError) return error;
  const cause = revealsUrl(error) ? undefined : error;
  return new ConnectionError(`${what}: no answer from ${server}: ${explain(error)}`, {
    cause,
    unsent: isUnsent(error),
  });
}

function isUnsent(error: unknown): boolean {
  if (error instanceof AggregateError && error.errors.length) return error.errors.every(isUnsent);
  const { code, syscall } = (error ?? {}) as { code?: unknown; syscall?: unknown };
  return (typeof code === 'string' && UNSENT.has(code)) || syscall === 'connect' || syscall === 'getaddrinfo';
}

/** Whether an error contains a URL, such as a proxy's, in which there can be a password. */
function revealsUrl(error: unknown): boolean {
  return error instanceof Error && 'input' in error;
}

function explain(error: unknown): string {
  if (error instanceof AggregateError && error.errors.length) return explain(error.errors[0]);
  if (!(error instanceof Error)) return 'unknown reason';
  const code = 'code' in error && typeof error.code === 'string' ? error.code : undefined;
  if (!code) return error.message;
  return `${EXPLANATIONS[code] ?? error.message} (${code})`;
}
