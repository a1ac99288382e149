import { SpanStatusCode, type Attributes, type Span } from '@opentelemetry/api';
import type { DiagnosticMessage } from '../diagnostics/channels.js';
import type { KubeObject } from '../objects/kube-object.js';
import { qualifiedName, type Resource } from '../resources/resources.js';
import type { TracingContext } from './tracing.context.js';

/** The part of messages that identifies the object of the work. */
interface ObjectMessage extends DiagnosticMessage {
  readonly resource?: Resource;
  readonly body?: KubeObject;
}

/** The attributes of work about an object: the names by which it is found, and none of its values. */
export function objectAttributes({ operator, resource, body }: ObjectMessage): Attributes {
  const { name, namespace, uid } = body?.metadata ?? {};
  return {
    'kopf.operator': operator.name,
    'kopf.resource': resource && qualifiedName(resource),
    'kopf.object.name': name,
    'kopf.object.uid': uid,
    'k8s.namespace.name': namespace,
  };
}

/** Checks whether the messages of errors can be shown: those about objects with values that must not be could quote them. */
export function canShowErrors({ resource }: ObjectMessage, { settings, redactor }: TracingContext): boolean {
  return settings.errorMessages && !(resource && redactor.protects(resource));
}

/** Adds an error to a span: its type, and, if it can be shown, the message and the stack. */
export function recordError(span: Span, error: unknown, isShown: boolean): void {
  const type = typeOf(error);
  span.setAttribute('error.type', type);
  if (!isShown) return span.recordException({ name: type });
  span.recordException(error instanceof Error ? error : String(error));
}

/** Makes a span a failed one, because of an error. */
export function fail(span: Span, error: unknown, isShown: boolean): void {
  recordError(span, error, isShown);
  const message = isShown ? (error instanceof Error ? error.message : String(error)) : undefined;
  span.setStatus({ code: SpanStatusCode.ERROR, message });
}

/** The stable code of an error if it has one, or the name of its class. */
export function typeOf(error: unknown): string {
  const { code, name } = (error ?? {}) as { readonly code?: unknown; readonly name?: unknown };
  if (typeof code === 'string') return code;
  return typeof name === 'string' ? name : typeof error;
}
