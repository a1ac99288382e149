import { STATUS_CODES } from 'node:http';
import { KopfError } from '../../common/kopf.errors.js';

/** Describes the members that are used of a body of `kind: Status`. */
export interface StatusPayload {
  readonly kind: 'Status';
  readonly code?: number;
  /** A word for programs: `NotFound`, `AlreadyExists`, `Conflict`. */
  readonly reason?: string;
  readonly message?: string;
  readonly details?: StatusDetails;
}

/** Holds what an API server says about an unsuccessful request besides the message. */
export interface StatusDetails {
  readonly name?: string;
  readonly group?: string;
  readonly kind?: string;
  readonly uid?: string;
  readonly retryAfterSeconds?: number;
  readonly causes?: readonly { readonly field?: string; readonly reason?: string; readonly message?: string }[];
}

/** Holds the members of an {@link ApiError}. */
export interface ApiErrorOptions extends ErrorOptions {
  /** The HTTP status, or the code of an `ERROR` event of a watch. */
  readonly status: number;
  readonly method: string;
  /** The path of the request; the query is left out of the message. */
  readonly path: string;
  readonly payload?: StatusPayload;
  /** Names the seconds after which the server wants the request again. */
  readonly retryAfter?: number;
}

/**
 * An API server answered that a request did not succeed.
 *
 * The message names the method and the path, and what the server says in a body of `kind: Status`;
 * other bodies and all headers stay out of it, as they can hold secrets.
 */
export class ApiError extends KopfError {
  readonly code: string = 'KOPF_API';
  /** The HTTP status. */
  readonly status: number;
  /** The server's word for the failure (`NotFound`), or the HTTP status's text where it says none. */
  readonly reason: string;
  /** Quotes the server's message, if there is one. */
  readonly statusMessage?: string;
  readonly details?: StatusDetails;
  /** Names the seconds after which the server wants the request again, if it says so. */
  readonly retryAfter?: number;
  /**
   * Is true if an earlier attempt of the request got no answer, so that the server may have carried it out already: a conflict
   * or a missing object can be the effect of that attempt then. It is set by the client. @default false
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

/** The server sends the client elsewhere, where clients of the API do not go, so nothing was done: any status of 300–399. */
export class ApiRedirectError extends ApiError {
  override readonly code = 'KOPF_API_REDIRECT';
  /** Names the target of the redirection, without user, password, and query; `undefined` if the server does not name it. */
  readonly location?: string;

  constructor(options: ApiErrorOptions & { readonly location?: string }) {
    super(options);
    this.location = options.location;
  }
}

/** The request was wrong, or not welcome: any status of 400–499. */
export class ApiClientError extends ApiError {
  override readonly code: string = 'KOPF_API_CLIENT';
}

/** The server failed: any status of 500–599. */
export class ApiServerError extends ApiError {
  override readonly code: string = 'KOPF_API_SERVER';
}

/** The credentials are not accepted, or not any more. */
export class ApiUnauthorizedError extends ApiClientError {
  override readonly code = 'KOPF_API_UNAUTHORIZED';
}

/** The credentials are fine, but do not permit the request. */
export class ApiForbiddenError extends ApiClientError {
  override readonly code = 'KOPF_API_FORBIDDEN';
}

/** The object, or the whole kind, does not exist. */
export class ApiNotFoundError extends ApiClientError {
  override readonly code = 'KOPF_API_NOT_FOUND';
}

/** The object exists already, or has changed meanwhile. */
export class ApiConflictError extends ApiClientError {
  override readonly code = 'KOPF_API_CONFLICT';
}

/** The resource version or the page token is too old. */
export class ApiGoneError extends ApiClientError {
  override readonly code = 'KOPF_API_GONE';
}

/** The object is invalid, or a JSON patch does not apply. */
export class ApiUnprocessableEntityError extends ApiClientError {
  override readonly code = 'KOPF_API_UNPROCESSABLE_ENTITY';
}

/** The server asks to slow down. */
export class ApiTooManyRequestsError extends ApiClientError {
  override readonly code = 'KOPF_API_TOO_MANY_REQUESTS';
}

/** Matches what etcd, and the connection to it, say of an object that is larger than they take. */
const TOO_LARGE = /request is too large|message larger than max/;

/**
 * Checks whether the server refuses a request for its size, which will be the same next time. If the object is too large for its store
 * only, it says so by a status of 500–599.
 */
export function isTooLarge(error: unknown): boolean {
  if (!(error instanceof ApiError)) return false;
  return error.status === 413 || (error.status >= 500 && TOO_LARGE.test(error.statusMessage ?? ''));
}

/** There is no answer: the server cannot be reached, the connection broke, or the answer is unreadable. */
export class ConnectionError extends KopfError {
  readonly code: string = 'KOPF_CONNECTION';
  /** Is true if there was no connection to send the request over, so that the server has certainly not carried it out. */
  readonly unsent: boolean;

  constructor(message?: string, { unsent = false, ...options }: ErrorOptions & { readonly unsent?: boolean } = {}) {
    super(message, options);
    this.unsent = unsent;
  }
}

/** There was no complete answer in time. */
export class RequestTimeoutError extends ConnectionError {
  override readonly code = 'KOPF_REQUEST_TIMEOUT';
}

/** A watch delivered something that is not a watch event. */
export class WatchStreamError extends KopfError {
  readonly code = 'KOPF_WATCH_STREAM';
}

/** The server has no such resource, or several ones that can be meant. */
export class UnknownResourceError extends KopfError {
  readonly code = 'KOPF_UNKNOWN_RESOURCE';
}
