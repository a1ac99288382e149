import { AsyncLocalStorage, AsyncResource } from 'node:async_hooks';

/** The asynchronous context of the process itself, in which this file was loaded: no request or transaction of an application has begun then. */
const callInProcess = AsyncLocalStorage.snapshot();

/**
 * Begins work that outlasts its caller: a loop, a connection, or a login that other callers wait for, too. All that the work calls and
 * awaits is outside of every `AsyncLocalStorage` that the caller is in, such as the request that has resumed the operator; otherwise each
 * handler would run in the context of that request as long as the process lives. Call it where the work begins, and not for each of its
 * steps.
 */
export function detach<T>(work: () => T): T {
  // What is called can enter a storage, which must end with the call.
  return callInProcess(() => new AsyncResource('Kopf').runInAsyncScope(work));
}
