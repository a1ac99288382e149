import { KopfError } from '../common/kopf.errors.js';

/**
 * The error of a handler that cannot succeed now, but may succeed later: the handler is retried after the delay.
 *
 * @example
 * throw new TemporaryError('The database is not ready yet.', { delay: 10 });
 */
export class TemporaryError extends KopfError {
  readonly code: string = 'KOPF_TEMPORARY';
  /** Seconds until the next attempt; `null` if it is made at once. */
  readonly delay: number | null;

  /**
   * @param options.delay seconds until the next attempt; 0 and `null` retry at once. @default 60
   */
  constructor(message?: string, options: ErrorOptions & { delay?: number | null } = {}) {
    super(message, options);
    this.delay = options.delay === undefined ? 60 : options.delay;
  }
}

/**
 * The error of a handler that can never succeed: the handler counts as failed and is not retried.
 *
 * @example
 * throw new PermanentError(`Size must be set. Got ${spec.size}.`);
 */
export class PermanentError extends KopfError {
  readonly code: string = 'KOPF_PERMANENT';
}

/** The error of a handler that has exceeded its `timeout`, which counts from its first attempt. */
export class HandlerTimeoutError extends PermanentError {
  override readonly code = 'KOPF_HANDLER_TIMEOUT';
}

/** The error of a handler that has exceeded its `retries`. */
export class HandlerRetriesError extends PermanentError {
  override readonly code = 'KOPF_HANDLER_RETRIES';
}

/**
 * The error of a handler during which the operator has lost its leadership, so that another operator may handle the object. The handler's
 * `signal` is aborted with it, and so are the requests that are made with the signal.
 */
export class LeadershipLostError extends KopfError {
  readonly code = 'KOPF_LEADERSHIP_LOST';

  constructor() {
    super('The leadership was lost: another operator may be at work.');
  }
}

/** The error of a handler that waits for its sub-handlers. The handler is called again when they are due. Users do not see it. */
export class HandlerChildrenRetry extends TemporaryError {
  override readonly code = 'KOPF_HANDLER_CHILDREN';

  /** @param delay seconds until the first of the sub-handlers is due. */
  constructor(delay: number) {
    // Kopf stores the text of an error without a message, which is this word.
    super('None', { delay });
  }
}

/** Seconds after which the API server may repeat a review that this replica cannot answer now. Another replica may answer it. */
export const RETRY_AFTER = 1;

/**
 * The error that is thrown into a handler of a review when it reads data that this replica does not have: an index that is not up to date,
 * or the memo of an object that another replica handles. The review waits, or is rejected with the code 503, even if the handler catches
 * the error.
 */
export class ReviewNotReadyError extends TemporaryError {
  override readonly code = 'KOPF_REVIEW_NOT_READY';

  constructor(message: string) {
    super(message, { delay: RETRY_AFTER });
  }
}
