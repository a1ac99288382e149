import {
  context,
  createContextKey,
  ROOT_CONTEXT,
  trace,
  type Context,
  type Span,
  type SpanContext,
  type SpanOptions,
  type Tracer,
} from '@opentelemetry/api';
import type { WorkMessage } from '../diagnostics/channels.js';

/** The key of the {@link TracedWork} in contexts. */
const WORK = createContextKey('nestjs-kopf traced work');

/** Work that has a span of ours. */
interface TracedWork {
  readonly span: Span;
  /** The uid of the object that it is about. */
  readonly object: string | undefined;
  isOver: boolean;
}

/** The span of a piece of work. */
export interface WorkSpan extends SpanOptions {
  readonly name: string;
  /** The context that the work is a part of. @default none, so that a trace begins here */
  readonly parent?: Context;
  /** The uid of the object that the work is about. */
  readonly object?: string;
}

/**
 * The spans of work, with their contexts around it.
 *
 * Contexts reach further than the work: into what a handler has begun and not awaited, and into queues and timers that were set up during
 * it. So a context of ours counts only until its work ends.
 */
export class WorkSpans {
  private readonly works = new WeakMap<WorkMessage, TracedWork>();

  constructor(private readonly tracer: Tracer) {}

  /** The context of the span that is in progress here, ours or of the application; `undefined` if there is none. */
  get current(): Context | undefined {
    const active = context.active();
    const span = trace.getSpan(active);
    if (!span) return undefined;
    const work = active.getValue(WORK) as TracedWork | undefined;
    return work?.span === span && work.isOver ? undefined : active;
  }

  /** The {@link current} context if it is of work of ours about the same object. */
  currentOf(object: string | undefined): Context | undefined {
    const { current } = this;
    const work = current?.getValue(WORK) as TracedWork | undefined;
    return work && !work.isOver && work.object !== undefined && work.object === object ? current : undefined;
  }

  /** Begins the span of work that starts, and has the work done in the context that it returns. */
  begin(message: WorkMessage, { name, parent = ROOT_CONTEXT, object, ...options }: WorkSpan): Context {
    const span = this.tracer.startSpan(name, options, parent);
    const work = { span, object, isOver: false };
    this.works.set(message, work);
    const inner = trace.setSpan(parent, span).setValue(WORK, work);
    surround(message, inner);
    return inner;
  }

  /** Ends the span of work, if it has one. */
  end(message: WorkMessage, describe: (span: Span) => void): void {
    const work = this.works.get(message);
    if (!work) return;
    describe(work.span);
    work.span.end();
    work.isOver = true;
  }

  /** Makes the span of a moment. */
  mark({ name, parent = ROOT_CONTEXT, object: _, ...options }: WorkSpan, describe?: (span: Span) => void): SpanContext {
    const span = this.tracer.startSpan(name, options, parent);
    describe?.(span);
    span.end();
    return span.spanContext();
  }

  /** Lets work without a span run outside of any span. */
  detach(message: WorkMessage): void {
    surround(message, ROOT_CONTEXT);
  }
}

function surround(message: WorkMessage, inner: Context): void {
  const { surround: before } = message;
  message.surround = (work) => context.with(inner, before ? () => before(work) : work);
}
