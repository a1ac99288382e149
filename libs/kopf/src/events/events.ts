// events: Kubernetes events about objects: those that handlers post, and log lines that are posted as events. They wait in queues, one for
// each object, so that handlers never wait for their requests, and errors in posting do not affect handlers or events of other objects.
// May import: client, execution, and what these may import.

import {
  describeException,
  type EventDetails,
  type ExceptionDetails,
  type PostedEvent,
} from '../contexts/object-events.js';
import { currentScope } from '../execution/invocation.scope.js';
import type { KubeObject } from '../objects/kube-object.js';

/** The object that an event is about, or several of them. */
export type EventSubjects = KubeObject | readonly KubeObject[];

/**
 * Posts an event about any objects, from within a handler. For the object that is being handled, the handler's context has the same.
 *
 * @throws Error if it is called outside of handlers.
 * @example
 * event(pod, { type: 'Normal', reason: 'Adopted', message: 'The pod belongs to a claim now.' });
 */
export function event(about: EventSubjects, details: EventDetails & { type: string }): void {
  post(about, details);
}

/** Posts an event of the type `Normal` about any objects, from within a handler. */
export function info(about: EventSubjects, details: EventDetails): void {
  post(about, { ...details, type: 'Normal', level: 'log' });
}

/** Posts an event of the type `Warning` about any objects, from within a handler. */
export function warn(about: EventSubjects, details: EventDetails): void {
  post(about, { ...details, type: 'Warning', level: 'warn' });
}

/** Posts an event of the type `Error` about any objects, from within a handler, with the error's name and message. */
export function exception(about: EventSubjects, details: ExceptionDetails): void {
  post(about, { ...describeException(details), type: 'Error', level: 'error' });
}

function post(about: EventSubjects, details: PostedEvent): void {
  const poster = currentScope()?.events;
  if (!poster) throw new Error('Events can be posted only within handlers of objects.');
  for (const object of Array.isArray(about) ? (about as readonly KubeObject[]) : [about as KubeObject]) {
    poster.post(object, details);
  }
}
