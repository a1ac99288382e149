import { getEventListeners } from 'node:events';
import { HandlerTimeoutError } from './handler.errors.js';
import { LinkedSignal } from '../common/linked.signal.js';
import { type Clock, Deferred } from 'kube-common';
import type { KopfLogger } from '../common/kopf.logger.js';
import type { Handler } from '../registry/handler.js';

/** The time limit of one call. */
export interface Deadline {
  /** Aborted at the deadline, or when the operator does not wait for handlers any longer. */
  readonly signal: AbortSignal;
  /**
   * Calls the function. Rejects at the deadline, even if the function is still running. May throw synchronously what the function throws.
   */
  race<T>(call: () => T | PromiseLike<T>): T | PromiseLike<T>;
  /** Frees the timer. */
  clear(): void;
}

/** Limits a call by the rest of the handler's `timeout`. Costs nothing without a timeout. */
export function createDeadline(
  clock: Clock,
  handler: Handler,
  runtime: number,
  source: { readonly signal: AbortSignal },
  logger: KopfLogger,
): Deadline {
  const { timeout } = handler;
  if (timeout === undefined) return new NoDeadline(source);

  const limit = new LinkedSignal(source.signal);
  let hasExpired = false;
  // The deadline may pass when no code awaits the call any longer.
  const expiry = new Deferred<never>().allowUnhandled();
  const timer = clock.setTimer(
    () => {
      const error = new HandlerTimeoutError(`${handler.title} has timed out after ${timeout} seconds.`);
      hasExpired = true;
      limit.abort(error);
      expiry.reject(error);
    },
    Math.max(0, timeout - runtime) * 1000,
  );
  return {
    signal: limit.signal,
    race: (call) => {
      const called = Promise.resolve().then(call);
      const warn = (how: string) => () => {
        if (hasExpired) logger.warn(`${handler.title} has ${how} after its timeout; it is ignored.`);
      };
      called.then(warn('returned'), warn('failed'));
      return Promise.race([called, expiry.promise]);
    },
    clear: () => {
      timer.cancel();
      // Code that the handler has started may still listen for the stop of the operator.
      if (getEventListeners(limit.signal, 'abort').length === 0) limit.release();
    },
  };
}

/** The deadline of a handler without a timeout. Reads the signal lazily, as some signals are only created when they are read. */
class NoDeadline implements Deadline {
  constructor(private readonly source: { readonly signal: AbortSignal }) {}

  get signal(): AbortSignal {
    return this.source.signal;
  }

  race<T>(call: () => T | PromiseLike<T>): T | PromiseLike<T> {
    return call();
  }

  clear(): void {}
}
