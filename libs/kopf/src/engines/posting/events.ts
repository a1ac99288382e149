import { currentScope } from '../../execution/invocation.scope.js';
import type { EventDetails } from '../../interfaces/events.interface.js';
import type { KubeObject } from '../../interfaces/kube-object.interface.js';
import { withErrorText } from '../../utils/error-text.js';

/** The object that an event is about, or several of them. */
export type EventSubjects = KubeObject | readonly KubeObject[];

/**
 * Posts an event about any objects, from within a handler. For the object that is being handled, the handler's context has the same.
 *
 * @throws Error if it is called outside of handlers.
 * @example
 * event(pod, { type: 'Normal', reason: 'Adopted', message: 'The pod belongs to a claim now.' });
 */
export function event(about: EventSubjects, { type, reason, message = '' }: EventDetails & { type: string }): void {
  const poster = currentScope()?.events;
  if (!poster) throw new Error('Events can be posted only within handlers of objects.');
  for (const object of Array.isArray(about) ? (about as readonly KubeObject[]) : [about as KubeObject]) {
    poster.post(object, type, reason, message);
  }
}

/** Posts an event of the type `Normal` about any objects, from within a handler. */
export function info(about: EventSubjects, details: EventDetails): void {
  event(about, { ...details, type: 'Normal' });
}

/** Posts an event of the type `Warning` about any objects, from within a handler. */
export function warn(about: EventSubjects, details: EventDetails): void {
  event(about, { ...details, type: 'Warning' });
}

/** Posts an event of the type `Error` about any objects, from within a handler, with the error's message. */
export function exception(about: EventSubjects, details: EventDetails & { error?: unknown }): void {
  event(about, { ...details, type: 'Error', message: withErrorText(details.message ?? '', details.error) });
}
