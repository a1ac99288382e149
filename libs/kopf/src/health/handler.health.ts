import { Inject, Injectable } from '@nestjs/common';
import { OperatorReader } from '../inspection/operator/operator.reader.js';
import type { ReviewReading } from '../inspection/operator.readings.js';
import type { PartReport } from './health.report.js';

/** The health of what some kinds of handlers need, if there are any such handlers: indices, and the answering of reviews. */
@Injectable()
export class HandlerHealth {
  constructor(@Inject(OperatorReader) private readonly readings: OperatorReader) {}

  /**
   * Evaluates the parts that there are.
   *
   * @param isWorking whether the operator has started: it is ready only after its indices; while it pauses, they are as they were.
   */
  evaluate(isWorking: boolean): Readonly<Record<string, PartReport>> {
    const names = this.readings.indices().map(({ id }) => id);
    const reviews = this.readings.reviews();
    return {
      ...(names.length > 0 && { indices: { status: isWorking ? 'up' : 'down', names } }),
      ...(reviews.handlers > 0 && { admission: evaluateReviews(reviews) }),
    };
  }
}

/** Evaluates the answering of reviews. A replica on standby answers all of them, or those that need nothing that it does not have. */
function evaluateReviews({ isServing, inProgress: reviewing, missing }: ReviewReading): PartReport {
  if (!isServing) return { status: 'down', message: 'Reviews are not answered yet, or not any more.' };
  if (missing === undefined) return { status: 'up', reviewing };
  return { status: 'degraded', reviewing, message: `Reviews that read indices are rejected: ${missing}.` };
}
