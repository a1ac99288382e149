import { RETRY_AFTER } from '../../execution/handler.errors.js';
import { Injectable } from '@nestjs/common';
import { type Clock, isMap } from 'kube-common';
import {
  begin,
  hasSubscribers,
  KOPF_CHANNELS,
  OperatorIdentity,
  type ReviewMessage,
} from '../../diagnostics/channels.js';
import { InjectOwn, KOPF_CLOCK } from '../../kopf.tokens.js';
import { AdmissionRequestError } from './admission.errors.js';
import type { AdmissionCall, AdmissionReviewAnswer } from '../../reviews/admission.review.js';
import type { ConversionReviewAnswer } from '../../reviews/conversion.review.js';

/** The function that answers reviews of one kind. */
type ReviewerOf<Answer> = (input: unknown, call: AdmissionCall) => Promise<Answer>;

/** The functions that answer reviews, by the kinds of the reviews. */
export interface Reviewers {
  readonly admission?: ReviewerOf<AdmissionReviewAnswer>;
  readonly conversion?: ReviewerOf<ConversionReviewAnswer>;
}

/** The dispatcher of reviews to the session of the operator that runs. Without one, reviews are answered with 503. */
@Injectable()
export class ReviewDispatcher {
  private readonly sessions = new Set<Reviewers>();
  private count = 0;

  constructor(
    @InjectOwn(OperatorIdentity) private readonly operator: OperatorIdentity,
    @InjectOwn(KOPF_CLOCK) private readonly clock: Clock,
  ) {}

  /** Whether reviews of admission can be answered: the operator has discovered the resources, and has not stopped. */
  get isServing(): boolean {
    return this.find('admission') !== undefined;
  }

  /** The number of reviews in progress. */
  get reviewing(): number {
    return this.count;
  }

  /** Has reviews answered by a session. @returns a function that ends it, and does not affect other sessions */
  serve(reviewers: Reviewers): () => void {
    this.sessions.add(reviewers);
    return () => void this.sessions.delete(reviewers);
  }

  /**
   * Answers a review.
   *
   * @param input the parsed review; it is not trusted.
   * @throws AdmissionRequestError with the HTTP status to answer with: 400 for what is no review, 404 for unknown handlers and resources,
   *   503 if the operator is not ready.
   */
  review(input: unknown, call: AdmissionCall): Promise<AdmissionReviewAnswer> {
    return this.observe('admission', input, call, this.find('admission'), (message, { response }) => {
      message.allowed = response.allowed;
      message.rejection = response.status?.code;
    });
  }

  /**
   * Answers a review of the conversion of objects.
   *
   * @param input the parsed review; it is not trusted.
   * @throws AdmissionRequestError as {@link review} does.
   */
  convert(input: unknown, call: AdmissionCall): Promise<ConversionReviewAnswer> {
    return this.observe('conversion', input, call, this.find('conversion'), (message, { response }) => {
      message.allowed = response.result.status === 'Success';
    });
  }

  /** Answers a review of either kind. Without conversions in the application, all reviews are taken for reviews of admission. */
  answer(input: unknown, call: AdmissionCall): Promise<AdmissionReviewAnswer | ConversionReviewAnswer> {
    const isConversion =
      isMap(input) && input.kind === 'ConversionReview' && (this.find('conversion') || !this.isServing);
    return isConversion ? this.convert(input, call) : this.review(input, call);
  }

  /** Finds the reviewer of the session that has begun last. */
  private find<K extends keyof Reviewers>(kind: K): Reviewers[K] {
    let found: Reviewers[K] = undefined;
    for (const session of this.sessions) found = session[kind] ?? found;
    return found;
  }

  /** Answers a review, and publishes its start and its end. */
  private observe<Answer>(
    kind: ReviewMessage['kind'],
    input: unknown,
    call: AdmissionCall,
    reviewer: ReviewerOf<Answer> | undefined,
    complete: (message: ReviewMessage, answer: Answer) => void,
  ): Promise<Answer> {
    const { reviewStart, reviewEnd } = KOPF_CHANNELS;
    if (!hasSubscribers(reviewStart, reviewEnd)) return this.ask(input, call, reviewer);
    const { operator, clock } = this;
    const { webhook, headers } = call;
    const message: ReviewMessage = { operator, kind, webhook, headers, input, startedAt: clock.now() };
    const begun = clock.monotonic();
    return begin(reviewStart, message, async () => {
      try {
        const answer = await this.ask(input, call, reviewer);
        complete(message, answer);
        message.code = 200;
        return answer;
      } catch (error) {
        message.error = error;
        message.code = error instanceof AdmissionRequestError ? error.status : 500;
        throw error;
      } finally {
        message.duration = (clock.monotonic() - begun) / 1000;
        reviewEnd.publish(message);
      }
    });
  }

  private async ask<Answer>(
    input: unknown,
    call: AdmissionCall,
    reviewer: ReviewerOf<Answer> | undefined,
  ): Promise<Answer> {
    if (!reviewer)
      throw new AdmissionRequestError('The operator is not ready for reviews.', 503, { retryAfter: RETRY_AFTER });
    this.count += 1;
    try {
      return await reviewer(input, call);
    } finally {
      this.count -= 1;
    }
  }
}
