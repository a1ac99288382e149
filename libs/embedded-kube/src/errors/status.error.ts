// errors: the errors that clients see, as the real server words them: `Status` objects, field errors, decoding errors.
// A separate folder because all floors throw them and none may know HTTP: the server turns them into responses.
// May import: common.

/** A single reason among several, as `details.causes` lists them. */
export interface StatusCause {
  readonly reason?: string;
  readonly message: string;
  /** The path of the field: `spec.containers[0].name`. */
  readonly field?: string;
}

/** The object that a `Status` is about, and the causes. */
export interface StatusDetails {
  readonly name?: string;
  readonly group?: string;
  readonly kind?: string;
  readonly uid?: string;
  readonly causes?: readonly StatusCause[];
  readonly retryAfterSeconds?: number;
}

/** An error response, as the real server words it: an HTTP code, a reason and a message. */
export class StatusError extends Error {
  override readonly name = 'StatusError';

  constructor(
    readonly code: number,
    readonly reason: string,
    message: string,
    readonly details?: StatusDetails,
    /** Set where a list can be continued although its version is gone. */
    readonly continueToken?: string,
  ) {
    super(message);
  }

  /** Returns the `Status` object that answers the request. */
  toStatus(): object {
    return {
      kind: 'Status',
      apiVersion: 'v1',
      metadata: this.continueToken === undefined ? {} : { continue: this.continueToken },
      status: 'Failure',
      message: this.message,
      ...(this.reason && { reason: this.reason }),
      ...(this.details && { details: this.details }),
      code: this.code,
    };
  }
}
