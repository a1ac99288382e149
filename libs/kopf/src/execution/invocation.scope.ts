import { AsyncLocalStorage } from 'node:async_hooks';
import { isThenable } from 'kube-common';
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
  /**
   * Called before an index is read; throws if the handler must not rely on it.
   *
   * @param name the name of the index.
   */
  onIndexRead?(name: string): void;
}

/** One call with its scope. */
interface ScopedCall {
  readonly scope: InvocationScope;
  isOver: boolean;
}

/** The call that is running, for all that it calls and awaits: of all invokers, as functions such as `adopt()` belong to none. */
const storage = new AsyncLocalStorage<ScopedCall>();
/** Counts the calls that are running, of all invokers. */
let running = 0;

/**
 * Keeps the scope for a call and for all that it calls and awaits. A scope ends with its call, also for what the handler has begun and
 * not awaited: so the storage is switched off whenever no handler runs. On Node 20 and 22, it slows down every promise of the process
 * as long as it is on.
 */
export class InvocationScopes {
  private readonly calls = new Set<ScopedCall>();

  /** Calls the function in the scope. The scope ends when the function has returned or thrown, or when its promise is settled. */
  run<T>(scope: InvocationScope, call: () => T | PromiseLike<T>): T | Promise<T> {
    const entry: ScopedCall = { scope, isOver: false };
    const end = (): void => this.end(entry);
    this.calls.add(entry);
    running += 1;
    let result: T | PromiseLike<T>;
    try {
      result = storage.run(entry, call);
    } catch (error) {
      end();
      throw error;
    }
    if (!isThenable(result)) {
      end();
      return result;
    }
    // Some thenables do their work each time they are waited for, such as queries: it is done once, and in the scope.
    const promise =
      result instanceof Promise ? (result as Promise<T>) : storage.run(entry, () => Promise.resolve(result));
    promise.then(end, end);
    return promise;
  }

  /** Ends the scopes of calls that are still running, and that nobody waits for any more, as their process is dead. */
  abandon(): void {
    for (const entry of this.calls) this.end(entry);
  }

  private end(entry: ScopedCall): void {
    if (!this.calls.delete(entry)) return;
    entry.isOver = true;
    running -= 1;
    if (running === 0) storage.disable();
  }
}

/** The scope of the handler that is being called, or `undefined` outside of handlers of objects. */
export function currentScope(): InvocationScope | undefined {
  const entry = storage.getStore();
  return entry?.isOver === false ? entry.scope : undefined;
}
