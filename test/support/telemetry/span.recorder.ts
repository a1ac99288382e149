import { context, propagation } from '@opentelemetry/api';
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks';
import { W3CTraceContextPropagator } from '@opentelemetry/core';
import {
  BasicTracerProvider,
  InMemorySpanExporter,
  SimpleSpanProcessor,
  type ReadableSpan,
} from '@opentelemetry/sdk-trace-base';

/** Traces as an application does, into memory, until the test is over. Spans are there once they have ended. */
export class SpanRecorder {
  private readonly exporter = new InMemorySpanExporter();
  readonly provider = new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(this.exporter)] });

  static start(): SpanRecorder {
    context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());
    propagation.setGlobalPropagator(new W3CTraceContextPropagator());
    onTestFinished(() => {
      context.disable();
      propagation.disable();
    });
    return new SpanRecorder();
  }

  get tracer() {
    return this.provider.getTracer('application');
  }

  /** All spans, in the order in which they have ended. */
  get spans(): readonly ReadableSpan[] {
    return this.exporter.getFinishedSpans();
  }

  /** The spans whose names begin so, in the order in which they have begun. */
  named(start: string): readonly ReadableSpan[] {
    const begun = ({ startTime: [seconds, nanoseconds] }: ReadableSpan): number => seconds * 1e9 + nanoseconds;
    return this.spans.filter(({ name }) => name.startsWith(start)).sort((a, b) => begun(a) - begun(b));
  }

  /** The only span whose name begins so. */
  one(start: string): ReadableSpan {
    const [first, ...others] = this.named(start);
    expect(first, `a span ${start}`).toBeDefined();
    expect(others).toEqual([]);
    return first;
  }

  parentOf({ parentSpanContext }: ReadableSpan): ReadableSpan | undefined {
    return this.spans.find((span) => span.spanContext().spanId === parentSpanContext?.spanId);
  }

  childrenOf(parent: ReadableSpan): readonly ReadableSpan[] {
    return this.spans.filter(({ parentSpanContext }) => parentSpanContext?.spanId === parent.spanContext().spanId);
  }

  /** The spans that a span is linked to, by what they are to it; those of others by their ids. */
  linksOf({ links }: ReadableSpan): readonly (readonly [unknown, ReadableSpan | string])[] {
    return links.map(({ context: { spanId }, attributes }) => [
      attributes?.['kopf.link'],
      this.spans.find((span) => span.spanContext().spanId === spanId) ?? spanId,
    ]);
  }

  /** Everything that is exported, as a text. */
  dump(): string {
    return JSON.stringify(
      this.spans.map(({ name, attributes, events, links, status }) => ({ name, attributes, events, links, status })),
    );
  }

  reset(): void {
    this.exporter.reset();
  }
}
