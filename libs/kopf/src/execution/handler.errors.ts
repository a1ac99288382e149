import { KopfError } from '../common/kopf.errors.js';

/**
 * Tells that a handler cannot succeed now but may later: it is retried after the delay.
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
 * Tells that a handler can never succeed: it is not retried and counts as failed.
 *
 * @example
 * throw new PermanentError(`Size must be set. Got ${spec.size}.`);
 */
export class PermanentError extends KopfError {
  readonly code: string = 'KOPF_PERMANENT';
}

/** A handler exceeded its `timeout`, counted from its first attempt. */
export class HandlerTimeoutError extends PermanentError {
  override readonly code = 'KOPF_HANDLER_TIMEOUT';
}

/** A handler exceeded its `retries`. */
export class HandlerRetriesError extends PermanentError {
  override readonly code = 'KOPF_HANDLER_RETRIES';
}

/**
 * The operator has lost its leadership while a handler was at work: another operator may handle the object. The `signal` of handlers is aborted
 * with it, and so are the requests that are made with the signal.
 */
export class LeadershipLostError extends KopfError {
  readonly code = 'KOPF_LEADERSHIP_LOST';

  constructor() {
    super('The leadership was lost: another operator may be at work.');
  }
}

/** A handler waits for its sub-handlers; it is called again when they are due. Not an error for the user. */
export class HandlerChildrenRetry extends TemporaryError {
  override readonly code = 'KOPF_HANDLER_CHILDREN';

  /** @param delay seconds until the first of the sub-handlers is due. */
  constructor(delay: number) {
    // Kopf stores the text of its error without a message, which is this word.
    super('None', { delay });
  }
}

/** Seconds after which a review may be asked for again that this replica cannot answer now; another one may answer it. */
export const RETRY_AFTER = 1;

/**
 * Is thrown into a handler of a review when it reads what this replica does not have: an index that is not up to date, or the memo of an object
 * that another replica handles. The review waits, or is rejected with the code 503, whatever the handler does about it.
 */
export class ReviewNotReadyError extends TemporaryError {
  override readonly code = 'KOPF_REVIEW_NOT_READY';

  constructor(message: string) {
    super(message, { delay: RETRY_AFTER });
  }
}
