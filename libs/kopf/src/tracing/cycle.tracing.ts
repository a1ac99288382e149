import { KOPF_CHANNELS } from '../diagnostics/channels.js';
import { qualifiedName } from '../resources/resources.js';
import type { TracingContext } from './tracing.context.js';
import { canShowErrors, objectAttributes, fail } from './span.attributes.js';
import { linkTo } from './traceparent.js';

/** Makes a trace of each event cycle, linked to the span of the client that has written the object, if the object names it. */
export function traceCycles(context: TracingContext): void {
  const { spans, subscriptions } = context;
  const { writerAnnotation } = context.settings;
  subscriptions.subscribe(KOPF_CHANNELS.cycleStart, (message) => {
    const { resource, body, type } = message;
    const { annotations, uid } = body.metadata;
    spans.begin(message, {
      name: `reconcile ${qualifiedName(resource)}`,
      object: uid,
      attributes: { ...objectAttributes(message), 'kopf.event.type': type ?? 'LISTED' },
      links: writerAnnotation === false ? [] : linkTo(annotations?.[writerAnnotation], 'writer'),
    });
  });
  subscriptions.subscribe(KOPF_CHANNELS.cycleEnd, (message) =>
    spans.end(message, (span) => {
      span.setAttributes({ 'kopf.cycle.result': message.result, 'kopf.cycle.work': message.work });
      if (message.result === 'failed') fail(span, message.error, canShowErrors(message, context));
    }),
  );
}
