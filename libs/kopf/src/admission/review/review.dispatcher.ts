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
import type { AdmissionServer } from '../../reviews/admission-server.interface.js';

/** Answers reviews of one kind. */
type ReviewerOf<Answer> = (input: unknown, call: AdmissionCall) => Promise<Answer>;

/** Hands reviews to what can answer them as long as the operator works, and knows the server that is a part of the application. */
@Injectable()
export class ReviewDispatcher {
  private reviewer?: ReviewerOf<AdmissionReviewAnswer>;
  private converter?: ReviewerOf<ConversionReviewAnswer>;
  private mounted?: AdmissionServer;
  private mountError?: string;
  private isHosted = (): boolean => true;
  private count = 0;

  constructor(
    @InjectOwn(OperatorIdentity) private readonly operator: OperatorIdentity,
    @InjectOwn(KOPF_CLOCK) private readonly clock: Clock,
  ) {}

  /** Tells whether reviews can be answered: the operator has discovered the resources, and has not stopped. */
  get isServing(): boolean {
    return this.reviewer !== undefined;
  }

  /** Counts the reviews in progress. */
  get reviewing(): number {
    return this.count;
  }

  /** Finds what brings the reviews: the server of the settings or, without one, the part of the application; `undefined` if there is neither. */
  findServer(configured: AdmissionServer | undefined): AdmissionServer | undefined {
    return configured ?? this.mounted;
  }

  /** Whether the part of the application is not reachable, as the application has no HTTP server. */
  get isUnreachable(): boolean {
    return this.mounted !== undefined && !this.isHosted();
  }

  /** Explains why the host cannot be the server of managed webhooks; `undefined` if it can. */
  get hostError(): string | undefined {
    return this.mountError;
  }

  /**
   * Makes a part of the application the server of webhooks; called by modules with controllers, before the operator starts.
   *
   * @param error why the webhooks cannot be managed, if they cannot: as nobody knows where they are.
   * @param isHosted whether the application has an HTTP server, when the operator starts.
   */
  mount(server: AdmissionServer, error: string | undefined, isHosted: () => boolean): void {
    this.mounted = server;
    this.mountError = error;
    this.isHosted = isHosted;
  }

  /**
   * Answers a review.
   *
   * @param input the parsed review; it is not trusted.
   * @throws AdmissionRequestError with the HTTP status to answer with: 400 for what is no review, 404 for unknown handlers and resources,
   *   503 if the operator is not ready.
   */
  review(input: unknown, call: AdmissionCall): Promise<AdmissionReviewAnswer> {
    return this.follow('admission', input, call, this.reviewer, (message, { response }) => {
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
    return this.follow('conversion', input, call, this.converter, (message, { response }) => {
      message.allowed = response.result.status === 'Success';
    });
  }

  /** Answers a review of either kind, as servers get them. An operator without conversions knows of one kind only. */
  answer(input: unknown, call: AdmissionCall): Promise<AdmissionReviewAnswer | ConversionReviewAnswer> {
    const isConversion = isMap(input) && input.kind === 'ConversionReview' && (this.converter || !this.reviewer);
    return isConversion ? this.convert(input, call) : this.review(input, call);
  }

  /** Begins to answer reviews. */
  open(reviewer: ReviewerOf<AdmissionReviewAnswer>): void {
    this.reviewer = reviewer;
  }

  /** Begins to answer reviews of conversions, which come before anything was listed. */
  openConversions(converter: ReviewerOf<ConversionReviewAnswer>): void {
    this.converter = converter;
  }

  /** Answers no more reviews. */
  close(): void {
    this.reviewer = undefined;
    this.converter = undefined;
  }

  /** Answers a review, and tells of it those who follow what the operator does. */
  private follow<Answer>(
    kind: ReviewMessage['kind'],
    input: unknown,
    call: AdmissionCall,
    reviewer: ReviewerOf<Answer> | undefined,
    note: (message: ReviewMessage, answer: Answer) => void,
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
        note(message, answer);
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
