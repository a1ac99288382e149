import { KopfError } from '../../common/kopf.errors.js';
import { PermanentError, TemporaryError } from '../../execution/handler.errors.js';

/**
 * The error by which an admission handler rejects a request. The user sees the message, and tools the code.
 *
 * @example
 * throw new AdmissionError(`The size must be positive, got ${spec.size}.`, 422);
 */
export class AdmissionError extends PermanentError {
  override readonly code: string = 'KOPF_ADMISSION';
  /** The HTTP status that the API server answers with. */
  readonly status: number;

  /** @param status the HTTP status that the API server answers with. @default 500, as in Kopf */
  constructor(message?: string, status = 500, options?: ErrorOptions) {
    super(message, options);
    this.status = status;
  }
}

/** The error of a request that is answered with an HTTP status, as it cannot be answered by a review. */
export class AdmissionRequestError extends KopfError {
  readonly code = 'KOPF_ADMISSION_REQUEST';
  /** The seconds after which the client may send the request again; absent if it would fail again. */
  readonly retryAfter?: number;

  /**
   * @param status 400 for what is no review, 404 for unknown handlers and resources, 409 for ambiguous resources, 503 if the operator cannot
   *   answer now.
   */
  constructor(
    message: string,
    readonly status: number,
    { retryAfter, ...options }: ErrorOptions & { readonly retryAfter?: number } = {},
  ) {
    super(message, options);
    this.retryAfter = retryAfter;
  }
}

/** The message that replaces those of errors that are not meant for users of the API, as they can contain internals. */
export const CONCEALED = 'The admission handler has failed with an internal error; the log of the operator says which.';

/** Replaces an error by one with {@link CONCEALED}, unless it is of a class that handlers throw for users, such as `AdmissionError`. */
export function concealError(error: Error): Error {
  return error instanceof PermanentError || error instanceof TemporaryError ? error : new Error(CONCEALED);
}
