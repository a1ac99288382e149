import { RETRY_AFTER } from '../../execution/handler.errors.js';
import { AdmissionError, AdmissionRequestError } from './admission.errors.js';
import { type Clock, type ClockTimer, Deferred } from 'kube-common';

/** The deadline of one review: it ends the review when its time is over, or when the client has given up. {@link race} must be called. */
export class ReviewDeadline {
  private readonly timer: ClockTimer;
  /** Created only when the signal is read. */
  private controller?: AbortController;
  private error?: Error;
  private readonly failure = new Deferred<never>();

  /**
   * @param seconds how long the review may take.
   * @param caller aborted when the answer is not needed any more.
   * @param others the deadlines of all reviews in progress; it is one of them until its end.
   * @param createError creates the error of a review that takes longer. @default an {@link AdmissionError} 504
   */
  constructor(
    clock: Clock,
    seconds: number,
    private readonly caller: AbortSignal | undefined,
    private readonly others: Set<ReviewDeadline>,
    createError = (): Error => new AdmissionError(`The handlers have not answered within ${seconds} seconds.`, 504),
  ) {
    this.timer = clock.setTimer(() => this.end(createError()), seconds * 1000);
    others.add(this);
    caller?.addEventListener('abort', this.giveUp);
    if (caller?.aborted) this.giveUp();
  }

  /** Aborted when the time is over. */
  get signal(): AbortSignal {
    if (!this.controller) {
      this.controller = new AbortController();
      if (this.error) this.controller.abort(this.error);
    }
    return this.controller.signal;
  }

  /** Waits for the work until the deadline, after which it rejects with the error. */
  async race<T>(work: Promise<T>): Promise<T> {
    try {
      return await Promise.race([this.failure.promise, work]);
    } finally {
      this.close();
    }
  }

  /** Ends the review without an answer. */
  readonly giveUp = (): void =>
    this.end(new AdmissionRequestError('The review was given up.', 503, { retryAfter: RETRY_AFTER }));

  private end(error: Error): void {
    this.close();
    this.error ??= error;
    this.controller?.abort(error);
    this.failure.reject(error);
  }

  private close(): void {
    this.timer.cancel();
    this.others.delete(this);
    // The signal can outlive many reviews, and must not keep anything of them.
    this.caller?.removeEventListener('abort', this.giveUp);
  }
}
