import { trace, type Attributes, type Span } from '@opentelemetry/api';
import { KOPF_CHANNELS, type HandlerMessage } from '../diagnostics/channels.js';
import { isFailed, outcomeLabel } from '../execution/outcome.labels.js';
import type { HandlerLabels } from '../registry/handler.labels.js';
import { LastAttempts } from './last.attempts.js';
import type { TracingContext } from './tracing.context.js';
import { canShowErrors, objectAttributes, fail, recordError } from './span.attributes.js';
import { formatTraceparent, linkTo } from './traceparent.js';
import type { WorkSpan } from './work.spans.js';

/**
 * Makes a span of each attempt of a handler, linked to the attempt before. The spans for events of objects and for reviews are parts of
 * event cycles and reviews; timers begin new traces.
 *
 * Daemons run as long as their objects. A span is exported when it ends, so one for the whole run would come too late, and be far too long:
 * their starts and their ends are spans, and what they do between them begins new traces.
 */
export function traceHandlers(context: TracingContext, labels: HandlerLabels): void {
  const { spans, subscriptions, settings } = context;
  const attempts = new LastAttempts();
  const starts = new WeakMap<HandlerMessage, string | undefined>();

  subscriptions.subscribe(KOPF_CHANNELS.handlerStart, (message) => {
    const { handler, body, previousTraceparent = attempts.before(message) } = message;
    const object = body?.metadata.uid;
    const name = `handler ${labels.of(handler.id)}`;
    const work: Omit<WorkSpan, 'name'> = {
      object,
      attributes: attributesOf(message),
      links: linkTo(previousTraceparent, 'previous attempt'),
    };
    let traceparent: string | undefined;
    if (handler.kind === 'daemon') {
      traceparent = formatTraceparent(spans.mark({ ...work, name: `${name} starts`, parent: spans.currentOf(object) }));
      starts.set(message, traceparent);
      spans.detach(message);
    } else {
      const parent = handler.kind === 'timer' ? undefined : spans.current;
      traceparent = formatTraceparent(trace.getSpanContext(spans.begin(message, { ...work, name, parent })));
    }
    // Others than handlers of changes have their progress in memory only.
    if (settings.storeTraceparent || message.reason === undefined) message.traceparent = traceparent;
    else attempts.record(message, traceparent);
  });

  subscriptions.subscribe(KOPF_CHANNELS.handlerEnd, (message) => {
    const { handler, outcome } = message;
    if (outcome?.final ?? true) attempts.forget(message);
    const conclude = (span: Span): void => {
      if (!outcome) return;
      const isShown = canShowErrors(message, context);
      span.setAttributes({ 'kopf.handler.outcome': outcomeLabel(outcome), 'kopf.handler.delay': outcome.delay });
      if (isFailed(outcome)) fail(span, outcome.error, isShown);
      else if (outcome.ignored) recordError(span, outcome.ignored, isShown);
    };
    if (!starts.has(message)) return spans.end(message, conclude);
    const attributes = { ...attributesOf(message), 'kopf.handler.duration': message.duration };
    const links = linkTo(starts.get(message), 'start');
    spans.mark({ name: `handler ${labels.of(handler.id)} ends`, attributes, links }, conclude);
  });

  // Nothing is called for what has gone.
  subscriptions.subscribe(KOPF_CHANNELS.cycleEnd, ({ type, body }) => {
    if (type === 'DELETED') attempts.forgetObject(body.metadata.uid);
  });
}

function attributesOf(message: HandlerMessage): Attributes {
  const { handler, retry, reason } = message;
  return {
    ...objectAttributes(message),
    'kopf.handler.id': handler.id,
    'kopf.handler.reason': reason,
    'kopf.handler.attempt': retry + 1,
    'code.function.name': handler.source,
  };
}
