import { STATUS_CODES } from 'node:http';
import { KopfError } from '../../common/kopf.errors.js';

/** The used members of a body of `kind: Status`. */
export interface StatusPayload {
  readonly kind: 'Status';
  readonly code?: number;
  /** The reason for programs: `NotFound`, `AlreadyExists`, `Conflict`. */
  readonly reason?: string;
  readonly message?: string;
  readonly details?: StatusDetails;
}

/** The details of an unsuccessful request in a `Status`. */
export interface StatusDetails {
  readonly name?: string;
  readonly group?: string;
  readonly kind?: string;
  readonly uid?: string;
  readonly retryAfterSeconds?: number;
  readonly causes?: readonly { readonly field?: string; readonly reason?: string; readonly message?: string }[];
}

/** The members of an {@link ApiError}. */
export interface ApiErrorOptions extends ErrorOptions {
  /** The HTTP status, or the code of an `ERROR` event of a watch. */
  readonly status: number;
  readonly method: string;
  /** The path of the request; the query is left out of the message. */
  readonly path: string;
  readonly payload?: StatusPayload;
  /** The seconds after which the server asks for the request again. */
  readonly retryAfter?: number;
}

/**
 * The error of a request that an API server has answered with a failure.
 *
 * The message has the method, the path, and the message in a body of `kind: Status`. Other bodies and all headers are omitted, as they can
 * contain secrets.
 */
export class ApiError extends KopfError {
  readonly code: string = 'KOPF_API';
  /** The HTTP status. */
  readonly status: number;
  /** The server's reason (`NotFound`); without one, the text of the HTTP status. */
  readonly reason: string;
  /** The server's message, if there is one. */
  readonly statusMessage?: string;
  readonly details?: StatusDetails;
  /** The seconds after which the server asks for the request again, if it does. */
  readonly retryAfter?: number;
  /**
   * Whether an earlier attempt got no response, so that the server may have carried it out: a conflict or a missing object can be its
   * effect. Set by the client.
   * @default false
   */
  afterLostAnswer = false;

  constructor(options: ApiErrorOptions) {
    const { status, payload } = options;
    const reason = payload?.reason || STATUS_CODES[status] || 'Unknown';
    const query = options.path.indexOf('?');
    const path = query < 0 ? options.path : options.path.slice(0, query);
    super(`${options.method} ${path}: ${status} ${reason}${payload?.message ? `: ${payload.message}` : ''}`, {
      cause: options.cause,
    });
    this.status = status;
    this.reason = reason;
    this.statusMessage = payload?.message;
    this.details = payload?.details;
    this.retryAfter = options.retryAfter ?? payload?.details?.retryAfterSeconds;
  }
}

/** The error of a redirection, status 300–399. Clients of the API do not follow it, so the request was not carried out. */
export class ApiRedirectError extends ApiError {
  override readonly code = 'KOPF_API_REDIRECT';
  /** The target of the redirection, without user, password, and query; `undefined` if the server has given none. */
  readonly location?: string;

  constructor(options: ApiErrorOptions & { readonly location?: string }) {
    super(options);
    this.location = options.location;
  }
}

/** The error of a request that is wrong or not permitted, status 400–499. */
export class ApiClientError extends ApiError {
  override readonly code: string = 'KOPF_API_CLIENT';
}

/** The error of a failure of the server, status 500–599. */
export class ApiServerError extends ApiError {
  override readonly code: string = 'KOPF_API_SERVER';
}

/** The error of credentials that the server does not accept, or not any more. */
export class ApiUnauthorizedError extends ApiClientError {
  override readonly code = 'KOPF_API_UNAUTHORIZED';
}

/** The error of valid credentials without the permission for the request. */
export class ApiForbiddenError extends ApiClientError {
  override readonly code = 'KOPF_API_FORBIDDEN';
}

/** The error of an object, or a whole kind, that does not exist. */
export class ApiNotFoundError extends ApiClientError {
  override readonly code = 'KOPF_API_NOT_FOUND';
}

/** The error of an object that exists already, or has changed since it was read. */
export class ApiConflictError extends ApiClientError {
  override readonly code = 'KOPF_API_CONFLICT';
}

/** The error of a resource version or a page token that is too old. */
export class ApiGoneError extends ApiClientError {
  override readonly code = 'KOPF_API_GONE';
}

/** The error of an invalid object, or of a JSON patch that does not apply. */
export class ApiUnprocessableEntityError extends ApiClientError {
  override readonly code = 'KOPF_API_UNPROCESSABLE_ENTITY';
}

/** The error of a server that asks for fewer requests. */
export class ApiTooManyRequestsError extends ApiClientError {
  override readonly code = 'KOPF_API_TOO_MANY_REQUESTS';
}

/** The messages of etcd, and of the connection to it, about an object that is too large. */
const TOO_LARGE = /request is too large|message larger than max/;

/**
 * Whether the server rejects a request for its size, so that a repetition has the same result. If the object is too large only for the
 * storage, the status is 500–599.
 */
export function isTooLarge(error: unknown): boolean {
  if (!(error instanceof ApiError)) return false;
  return error.status === 413 || (error.status >= 500 && TOO_LARGE.test(error.statusMessage ?? ''));
}

/** The error of a missing response: the server cannot be reached, the connection broke, or the response is unreadable. */
export class ConnectionError extends KopfError {
  readonly code: string = 'KOPF_CONNECTION';
  /** Whether there was no connection to send the request over, so that the server has certainly not carried it out. */
  readonly unsent: boolean;

  constructor(message?: string, { unsent = false, ...options }: ErrorOptions & { readonly unsent?: boolean } = {}) {
    super(message, options);
    this.unsent = unsent;
  }
}

/** The error of a response that was not complete in time. */
export class RequestTimeoutError extends ConnectionError {
  override readonly code = 'KOPF_REQUEST_TIMEOUT';
}

/** The error of a line of a watch that is not a watch event. */
export class WatchStreamError extends KopfError {
  readonly code = 'KOPF_WATCH_STREAM';
}

/** The error of a reference to a resource that the server does not have, or that matches several resources. */
export class UnknownResourceError extends KopfError {
  readonly code = 'KOPF_UNKNOWN_RESOURCE';
}
