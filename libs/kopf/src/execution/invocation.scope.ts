import { AsyncLocalStorage } from 'node:async_hooks';
import type { EventPoster } from '../contexts/object-events.js';
import type { KubeObject } from '../objects/kube-object.js';

/**
 * Provides the environment of a call of an object's handler, for functions that are called in it without its context, such as
 * `adopt()`.
 */
export interface InvocationScope {
  /** The object being handled. */
  readonly body: KubeObject;
  /** Posts the Kubernetes events of the handler. */
  readonly events: EventPoster;
}

/** Keeps the scope for a call and for all that it calls and awaits. The invoker alone opens scopes; others ask {@link currentScope}. */
export const invocationScopes = new AsyncLocalStorage<InvocationScope>();

/** The scope of the handler that is being called, or `undefined` outside of handlers of objects. */
export function currentScope(): InvocationScope | undefined {
  return invocationScopes.getStore();
}
