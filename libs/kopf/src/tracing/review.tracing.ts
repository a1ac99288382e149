import { propagation, ROOT_CONTEXT, SpanKind, trace } from '@opentelemetry/api';
import { KOPF_CHANNELS } from '../diagnostics/channels.js';
import type { TracingContext } from './tracing.context.js';
import { fail } from './span.attributes.js';

/** The greatest length of the id of a webhook, which comes from outside. */
const MAX_ID = 100;

/** Makes spans of reviews, of admission and of conversions: parts of the span of the HTTP request where the application traces those, or else of the API server's. */
export function traceReviews({ spans, subscriptions }: TracingContext): void {
  subscriptions.subscribe(KOPF_CHANNELS.reviewStart, (message) => {
    const { operator, kind, webhook, headers } = message;
    const local = spans.current;
    const parent = local ?? propagation.extract(ROOT_CONTEXT, headers);
    spans.begin(message, {
      name: `${kind} review`,
      kind: !local && trace.getSpan(parent) ? SpanKind.SERVER : SpanKind.INTERNAL,
      parent,
      attributes: { 'kopf.operator': operator.name, 'kopf.review.webhook': webhook?.slice(0, MAX_ID) },
    });
  });
  subscriptions.subscribe(KOPF_CHANNELS.reviewEnd, (message) =>
    spans.end(message, (span) => {
      const { allowed, rejection, code, error } = message;
      span.setAttributes({
        'kopf.review.allowed': allowed,
        'kopf.review.rejection': rejection,
        'http.response.status_code': code,
      });
      // The message of the error can quote the review.
      if (error !== undefined) fail(span, error, false);
    }),
  );
}
