import { AsyncLocalStorage, AsyncResource } from 'node:async_hooks';

/** The asynchronous context of the process itself, in which this file was loaded. */
const callInProcess = AsyncLocalStorage.snapshot();

/**
 * Begins work of the server, which is outside of every `AsyncLocalStorage` that its caller is in, as if the server were another process: it is
 * begun by whoever happens to start it, or to write an object.
 */
export function detach<T>(work: () => T): T {
  // What is called can enter a storage, which must end with the call.
  return callInProcess(() => new AsyncResource('EmbeddedKube').runInAsyncScope(work));
}
