import { isSpanContextValid, type Link, type SpanContext } from '@opentelemetry/api';

/** The header of W3C Trace Context; versions after the first one can have more at the end. */
const TRACEPARENT = /^(?!ff)([\da-f]{2})-([\da-f]{32})-([\da-f]{16})-([\da-f]{2})(-.*)?$/;

/** Writes the identity of a span as the header `traceparent` of W3C Trace Context; `undefined` if the span is none that is kept anywhere. */
export function formatTraceparent(span: SpanContext | undefined): string | undefined {
  if (!span || !isSpanContextValid(span)) return undefined;
  return `00-${span.traceId}-${span.spanId}-${span.traceFlags.toString(16).padStart(2, '0')}`;
}

/** Reads the header `traceparent` of W3C Trace Context; `undefined` if it is none. */
export function parseTraceparent(text: unknown): SpanContext | undefined {
  if (typeof text !== 'string') return undefined;
  const [, version, traceId, spanId, flags, rest] = TRACEPARENT.exec(text.trim()) ?? [];
  if (version === undefined || (version === '00' && rest !== undefined)) return undefined;
  const span: SpanContext = { traceId, spanId, traceFlags: Number.parseInt(flags, 16) & 1, isRemote: true };
  return isSpanContextValid(span) ? span : undefined;
}

/** The link to a span that is known by its `traceparent`, with what it is to the span that has the link; none if it is no `traceparent`. */
export function linkTo(traceparent: unknown, relation: 'previous attempt' | 'writer' | 'start'): Link[] {
  const span = parseTraceparent(traceparent);
  return span ? [{ context: span, attributes: { 'kopf.link': relation } }] : [];
}
