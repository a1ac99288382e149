import { AsyncLocalStorage } from 'node:async_hooks';
import { isThenable } from 'kube-common';
import type { EventPoster } from '../contexts/object-events.js';
import type { KubeObject } from '../objects/kube-object.js';

/** The scope of a call of an object's handler, for functions that are called in it without its context, such as `adopt()`. */
export interface InvocationScope {
  /** The handled object. */
  readonly body: KubeObject;
  /** The poster of the handler's Kubernetes events. */
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

/**
 * The running call, in the asynchronous context of everything that it calls and awaits. One storage for all invokers, as functions such as
 * `adopt()` belong to none of them.
 */
const storage = new AsyncLocalStorage<ScopedCall>();
/** The number of running calls of all invokers. */
let running = 0;

/**
 * The scopes of one invoker's calls. A scope lasts as long as its call, also for work that the handler has started and not awaited. So the
 * storage is disabled while no handler runs: on Node 20 and 22, an enabled storage slows down all promises of the process.
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
    // Some thenables, such as queries, do their work each time they are awaited. So they are awaited once, in the scope.
    const promise =
      result instanceof Promise ? (result as Promise<T>) : storage.run(entry, () => Promise.resolve(result));
    promise.then(end, end);
    return promise;
  }

  /** Ends the scopes of calls in progress in a simulated process that was killed: no code awaits them any more. */
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

/** Returns the scope of the running call; `undefined` outside of handlers of objects. */
export function currentScope(): InvocationScope | undefined {
  const entry = storage.getStore();
  return entry?.isOver === false ? entry.scope : undefined;
}
