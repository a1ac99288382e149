import { Injectable } from '@nestjs/common';
import type { AdmissionCall, AdmissionReviewAnswer } from '../reviews/admission.review.js';
import type { ConversionReviewAnswer } from '../reviews/conversion.review.js';
import { ReviewDispatcher } from './review/review.dispatcher.js';
import { InspectedAs } from '../common/inspection.js';
import { InjectOwn } from '../kopf.tokens.js';

/**
 * The answering of reviews with the `@Validate` and `@Mutate` handlers, for servers and controllers that the application has itself.
 *
 * @example
 * const answer = await admission.review(request.body, { webhook: 'checkSize', headers: request.headers });
 */
@Injectable()
@InspectedAs<KopfAdmission>(({ isServing, reviewing }) => ({ isServing, reviewing }))
export class KopfAdmission {
  /** @internal */
  constructor(@InjectOwn(ReviewDispatcher) private readonly dispatcher: ReviewDispatcher) {}

  /** Whether reviews can be answered: the operator has discovered the resources, and has not stopped. */
  get isServing(): boolean {
    return this.dispatcher.isServing;
  }

  /** The number of reviews in progress. */
  get reviewing(): number {
    return this.dispatcher.reviewing;
  }

  /**
   * Answers a review.
   *
   * @param input the parsed review; it is not trusted.
   * @throws AdmissionRequestError with the HTTP status to answer with: 400 for what is no review, 404 for unknown handlers and resources,
   *   503 if the operator is not ready.
   */
  review(input: unknown, call: AdmissionCall): Promise<AdmissionReviewAnswer> {
    return this.dispatcher.review(input, call);
  }

  /**
   * Answers a review of a conversion, in which the API server requests objects in another version, with the `@Convert` handlers.
   *
   * @param input the parsed review; it is not trusted.
   * @throws AdmissionRequestError as {@link review} does.
   */
  convert(input: unknown, call: AdmissionCall): Promise<ConversionReviewAnswer> {
    return this.dispatcher.convert(input, call);
  }
}
