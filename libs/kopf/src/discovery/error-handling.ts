import { isThenable } from 'kube-common';
import type { ErrorDecision, ErrorHandler } from '../contexts/change-options.js';
import { HandlerChildrenRetry, LeadershipLostError } from '../execution/handler.errors.js';
import type { HandlerFunction } from '../registry/handler.js';

/** The wrappers of methods with `onError`: each method has one wrapper for each error handler, whatever its decorators. */
export class ErrorHandling {
  private readonly wrapped = new WeakMap<HandlerFunction, Map<ErrorHandler | string, HandlerFunction>>();

  /**
   * Wraps a method, so that its errors are decided on by the error handler.
   *
   * @param instance the instance of the method; absent if there is another one for each invocation.
   * @throws TypeError if the instance has no such method.
   */
  wrap(invoke: HandlerFunction, handler: ErrorHandler | string, instance: object | undefined): HandlerFunction {
    let functions = this.wrapped.get(invoke);
    if (!functions) this.wrapped.set(invoke, (functions = new Map()));
    let wrapped = functions.get(handler);
    if (!wrapped) functions.set(handler, (wrapped = guard(invoke, resolve(handler, instance))));
    return wrapped;
  }
}

function resolve(handler: ErrorHandler | string, instance: object | undefined): ErrorHandler {
  if (typeof handler === 'function') return handler;
  if (!instance) {
    throw new TypeError(`onError: there is no '${handler}' before the class is created for a call; give a function`);
  }
  const method: unknown = (instance as Record<string, unknown>)[handler];
  if (typeof method !== 'function') throw new TypeError(`onError: the class has no method '${handler}'`);
  return (error, context) => method.call(instance, error, context) as ErrorDecision;
}

function guard(method: HandlerFunction, decide: ErrorHandler): HandlerFunction {
  const settle = async (error: unknown, context: Partial<{ readonly signal: AbortSignal }>): Promise<void> => {
    if (isNoError(error, context)) throw error;
    const decision = await decide(error, context);
    if (decision === 'ignored') return;
    throw decision ?? error;
  };
  return function (this: unknown, context: object) {
    let returned: unknown;
    try {
      returned = method.call(this, context);
    } catch (error) {
      return settle(error, context);
    }
    return isThenable(returned) ? returned.then(undefined, (error: unknown) => settle(error, context)) : returned;
  };
}

/**
 * Checks whether what a handler threw is no error: it waits for its sub-handlers, it ended because its signal was aborted, or this replica
 * has lost leadership.
 */
function isNoError(error: unknown, { signal }: Partial<{ readonly signal: AbortSignal }>): boolean {
  if (error instanceof HandlerChildrenRetry || error instanceof LeadershipLostError) return true;
  return signal?.aborted === true && (error as Error | null)?.name === 'AbortError';
}
