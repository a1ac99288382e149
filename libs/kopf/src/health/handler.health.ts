import { Inject, Injectable } from '@nestjs/common';
import { OperatorReader } from '../inspection/operator/operator.reader.js';
import type { ReviewReading } from '../inspection/operator.readings.js';
import type { PartReport } from './health.report.js';

/** The health of the parts that only some kinds of handlers need: indices, and the answering of reviews. */
@Injectable()
export class HandlerHealth {
  constructor(@Inject(OperatorReader) private readonly readings: OperatorReader) {}

  /**
   * Evaluates the parts that the handlers of the operator need.
   *
   * @param isWorking whether the operator has started, which implies that the indices are filled; while it pauses, they do not change.
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

/**
 * Evaluates the answering of reviews. A replica on standby answers them, too, but those that read indices only if it watches the indices.
 */
function evaluateReviews({ isServing, inProgress: reviewing, missing }: ReviewReading): PartReport {
  if (!isServing) return { status: 'down', message: 'Reviews are not answered yet, or not any more.' };
  if (missing === undefined) return { status: 'up', reviewing };
  return { status: 'degraded', reviewing, message: `Reviews that read indices are rejected: ${missing}.` };
}
