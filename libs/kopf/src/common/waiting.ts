import type { Clock } from './clock.js';

/**
 * Waits for the given seconds, or until the signal is aborted; never rejects.
 *
 * @returns whether the whole time was slept.
 */
export function sleep(clock: Clock, seconds: number, signal?: AbortSignal): Promise<boolean> {
  if (signal?.aborted) return Promise.resolve(false);
  return new Promise((resolve) => {
    const onAbort = (): void => {
      timer.cancel();
      resolve(false);
    };
    const timer = clock.setTimer(() => {
      signal?.removeEventListener('abort', onAbort);
      resolve(true);
    }, seconds * 1000);
    signal?.addEventListener('abort', onAbort, { once: true });
  });
}

/** Waits until the signal is aborted; never rejects. */
export function untilAborted(signal: AbortSignal): Promise<void> {
  if (signal.aborted) return Promise.resolve();
  return new Promise((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }));
}

/** A promise that is settled from outside, once. Node 20 has no `Promise.withResolvers()`. */
export class Deferred<T = void> {
  readonly promise: Promise<T>;
  readonly resolve: (value: T) => void;
  readonly reject: (error: unknown) => void;

  constructor() {
    let resolve: (value: T) => void;
    let reject: (error: unknown) => void;
    this.promise = new Promise<T>((onResolved, onRejected) => {
      resolve = onResolved;
      reject = onRejected;
    });
    this.resolve = resolve!;
    this.reject = reject!;
  }
}

/** Wakes one waiting loop. A signal that is raised while the loop does not wait is not lost. */
export class Signal {
  private controller = new AbortController();

  raise(): void {
    this.controller.abort();
  }

  /** Waits until the signal is raised, the seconds are over (without them, there is no limit), or the abort signal is aborted. */
  async wait(clock: Clock, seconds: number | undefined, abort: AbortSignal): Promise<void> {
    const ended = AbortSignal.any([this.controller.signal, abort]);
    if (seconds !== undefined) await sleep(clock, seconds, ended);
    else await untilAborted(ended);
    this.controller = new AbortController();
  }
}

/** Lets several callers wait for the same event. Their promise is created for the first of them, as mostly nobody waits. */
export class Waiters {
  private waiting?: Deferred;

  /** Resolves when they are released. */
  join(): Promise<void> {
    this.waiting ??= new Deferred();
    return this.waiting.promise;
  }

  /** Releases all waiting callers; those that come later wait for the next release. */
  release(): void {
    this.waiting?.resolve();
    this.waiting = undefined;
  }
}

/**
 * Refuses what a function has returned that must not be asynchronous.
 *
 * @throws TypeError if it is a promise
 */
export function rejectPromise(returned: unknown, message: string): void {
  if (!(returned instanceof Promise)) return;
  // Nobody waits for it, so its rejection would end the process.
  returned.catch(() => undefined);
  throw new TypeError(message);
}

/** Checks for promises and whatever else can be waited for. */
export function isThenable<T>(value: T | PromiseLike<T>): value is PromiseLike<T> {
  return typeof (value as PromiseLike<T> | null | undefined)?.then === 'function';
}
