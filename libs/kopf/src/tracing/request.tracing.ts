import { propagation, SpanKind, SpanStatusCode, type Attributes } from '@opentelemetry/api';
import { KOPF_CHANNELS, type RequestMessage } from '../diagnostics/channels.js';
import type { TracingContext } from './tracing.context.js';
import { typeOf } from './span.attributes.js';
import { pathTemplate } from './path.template.js';

/**
 * Makes spans of the requests that are parts of other spans. Watches, which never end, and what the operator asks for itself, such as lists
 * and leases, are parts of none.
 */
export function traceRequests({ spans, subscriptions }: TracingContext): void {
  subscriptions.subscribe(KOPF_CHANNELS.requestStart, (message) => {
    const parent = message.streaming ? undefined : spans.current;
    if (!parent) return;
    const path = message.path.split('?', 1)[0];
    const template = pathTemplate(path);
    const inner = spans.begin(message, {
      name: template ? `${message.method} ${template}` : message.method,
      kind: SpanKind.CLIENT,
      parent,
      attributes: { ...attributesOf(message), 'url.path': path, 'url.template': template },
    });
    propagation.inject(inner, message.headers);
  });
  subscriptions.subscribe(KOPF_CHANNELS.requestEnd, (message) =>
    spans.end(message, (span) => {
      const { status, error } = message;
      if (status !== undefined) span.setAttribute('http.response.status_code', status);
      if (error === undefined && (status ?? 0) < 400) return;
      // The message of an error can quote the object.
      span.setAttribute('error.type', error === undefined ? String(status) : typeOf(error));
      span.setStatus({ code: SpanStatusCode.ERROR });
    }),
  );
}

function attributesOf({ operator, method, host }: RequestMessage): Attributes {
  const [, address = host, port] = /^(.*?)(?::(\d+))?$/.exec(host) ?? [];
  return {
    'kopf.operator': operator.name,
    'http.request.method': method,
    'server.address': address,
    'server.port': port === undefined ? undefined : Number(port),
  };
}
