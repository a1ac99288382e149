import { Injectable } from '@nestjs/common';
import { AdmissionRequestError } from './admission.errors.js';
import type { AdmissionCall, AdmissionReviewAnswer, AdmissionReviewer } from '../../contexts/admission.interface.js';
import type { AdmissionServer } from '../servers/admission-server.interface.js';

/** Hands reviews to what can answer them as long as the operator works, and knows the server that is a part of the application. */
@Injectable()
export class ReviewDispatcher {
  private reviewer?: AdmissionReviewer;
  private mounted?: AdmissionServer;
  private mountError?: string;
  private count = 0;

  /** Tells whether reviews can be answered: the operator has discovered the resources, and has not stopped. */
  get isServing(): boolean {
    return this.reviewer !== undefined;
  }

  /** Counts the reviews in progress. */
  get reviewing(): number {
    return this.count;
  }

  /** The server that is a part of the application, unless the settings name another one. */
  get host(): AdmissionServer | undefined {
    return this.mounted;
  }

  /** Explains why the host cannot be the server of managed webhooks; `undefined` if it can. */
  get hostError(): string | undefined {
    return this.mountError;
  }

  /**
   * Makes a part of the application the server of webhooks; called by modules with controllers, before the operator starts.
   *
   * @param error why the webhooks cannot be managed, if they cannot: as nobody knows where they are.
   */
  mount(server: AdmissionServer, error?: string): void {
    this.mounted = server;
    this.mountError = error;
  }

  /**
   * Answers a review.
   *
   * @param input the parsed review; it is not trusted.
   * @throws AdmissionRequestError with the HTTP status to answer with: 400 for what is no review, 404 for unknown handlers and resources,
   *   503 if the operator is not ready.
   */
  async review(input: unknown, call: AdmissionCall): Promise<AdmissionReviewAnswer> {
    if (!this.reviewer) throw new AdmissionRequestError('The operator is not ready for reviews.', 503);
    this.count += 1;
    try {
      return await this.reviewer(input, call);
    } finally {
      this.count -= 1;
    }
  }

  /** Begins to answer reviews. */
  open(reviewer: AdmissionReviewer): void {
    this.reviewer = reviewer;
  }

  /** Answers no more reviews. */
  close(): void {
    this.reviewer = undefined;
  }
}
