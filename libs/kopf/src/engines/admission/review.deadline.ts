import { AdmissionError, AdmissionRequestError } from '../../errors/admission.errors.js';
import type { Clock } from '../../interfaces/clock.interface.js';

/** Limits the time of one review, and ends it when nobody waits for the answer any more. To be closed in the end. */
export class ReviewDeadline {
  /** Made only for those who ask for it. */
  private controller?: AbortController;
  private error?: Error;
  private readonly ended: Promise<never>;
  private readonly close: () => void;

  /**
   * @param seconds how long the review may take.
   * @param sources signals that are aborted when the answer is not needed, or cannot be given any more.
   */
  constructor(clock: Clock, seconds: number, sources: readonly (AbortSignal | undefined)[]) {
    let fail!: (error: Error) => void;
    this.ended = new Promise<never>((_resolve, reject) => (fail = reject));
    // It may come when nobody waits for it.
    this.ended.catch(() => undefined);
    const end = (error: Error): void => {
      this.error ??= error;
      this.controller?.abort(error);
      fail(error);
    };
    const onAbort = (): void => end(new AdmissionRequestError('The review was given up.', 503));
    const timer = clock.setTimer(
      () => end(new AdmissionError(`The handlers have not answered within ${seconds} seconds.`, 504)),
      seconds * 1000,
    );
    for (const source of sources) {
      if (source?.aborted) onAbort();
      source?.addEventListener('abort', onAbort);
    }
    this.close = () => {
      timer.cancel();
      // Some of the signals live for long: nothing of a review must stay with them.
      for (const source of sources) source?.removeEventListener('abort', onAbort);
    };
  }

  /** Aborted when the time is over. */
  get signal(): AbortSignal {
    if (!this.controller) {
      this.controller = new AbortController();
      if (this.error) this.controller.abort(this.error);
    }
    return this.controller.signal;
  }

  /** Waits for the work, but not longer than it may take; rejects with an {@link AdmissionError} 504 then. */
  async race<T>(work: Promise<T>): Promise<T> {
    try {
      return await Promise.race([work, this.ended]);
    } finally {
      this.close();
    }
  }
}
