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

/**
 * Waits for the promise, but not longer than until the signal is aborted; the work behind the promise continues.
 *
 * @throws the signal's reason, or what the promise rejects with.
 */
export async function unlessAborted<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  const aborted = new Deferred<never>();
  const onAbort = (): void => aborted.reject(signal.reason);
  if (signal.aborted) onAbort();
  else signal.addEventListener('abort', onAbort, { once: true });
  try {
    return await Promise.race([promise, aborted.promise]);
  } finally {
    // The signal can live for long: nothing of a wait must stay with it.
    signal.removeEventListener('abort', onAbort);
  }
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

  /** Allows a rejection while no caller waits for the promise; otherwise, it would end the process. */
  allowUnhandled(): this {
    this.promise.catch(() => undefined);
    return this;
  }
}

/** The signal that wakes one waiting loop. A signal that is raised while the loop does not wait is not lost. */
export class Signal {
  private isRaised = false;
  private wake?: () => void;

  raise(): void {
    this.isRaised = true;
    this.wake?.();
  }

  /** Waits until the signal is raised, the seconds are over (without them, there is no limit), or the abort signal is aborted. */
  async wait(clock: Clock, seconds: number | undefined, abort: AbortSignal): Promise<void> {
    // AbortSignal.any() would be kept by Node.js for as long as a wait has no end, with all that waits: an operator that was killed in a test.
    if (!this.isRaised && !abort.aborted) {
      const woken = new Deferred();
      this.wake = woken.resolve;
      abort.addEventListener('abort', this.wake, { once: true });
      const timer = seconds === undefined ? undefined : clock.setTimer(this.wake, seconds * 1000);
      await woken.promise;
      timer?.cancel();
      abort.removeEventListener('abort', this.wake);
      this.wake = undefined;
    }
    this.isRaised = false;
  }
}

/** The callers that wait for the same event. Their promise is created for the first of them, as mostly there are none. */
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

/** The compaction of a shorter queue would cost more than the memory that it frees. */
const LEAST_COMPACTED = 1024;

/** A queue of waiting callers, which are released in the order of their coming. */
export class WaitingQueue {
  private waiting: (() => void)[] = [];
  /** Points to the one that is released next. Those before it are removed together, as removing the first of many costs much. */
  private head = 0;

  /** The number of callers that wait. */
  get length(): number {
    return this.waiting.length - this.head;
  }

  /** Resolves when it is the caller's turn. */
  join(): Promise<void> {
    return new Promise((resolve) => this.waiting.push(resolve));
  }

  /**
   * Releases the callers that have waited longest.
   *
   * @param most the number of those to be released at most.
   * @returns how many were released.
   */
  release(most = 1): number {
    const count = Math.min(most, this.length);
    const end = this.head + count;
    for (; this.head < end; this.head += 1) this.waiting[this.head]();
    if (this.length === 0 || (this.head >= LEAST_COMPACTED && this.head * 2 > this.waiting.length)) {
      this.waiting = this.waiting.slice(this.head);
      this.head = 0;
    }
    return count;
  }
}

/**
 * Refuses what a function has returned that must not be asynchronous.
 *
 * @throws TypeError if it is a promise
 */
export function rejectPromise(returned: unknown, message: string): void {
  if (!(returned instanceof Promise)) return;
  // No caller waits for it, so its rejection would end the process.
  returned.catch(() => undefined);
  throw new TypeError(message);
}

/** Checks for promises and other thenables. */
export function isThenable<T>(value: T | PromiseLike<T>): value is PromiseLike<T> {
  return typeof (value as PromiseLike<T> | null | undefined)?.then === 'function';
}

/** The number of promises that a call of a user's method goes through, with what is around it, if it has nothing to wait for. */
const FEW_PROMISES = 8;

/** Checks whether a promise settles without anything to wait for, as those of most handlers do: they need no timer. */
export async function settlesAtOnce(promise: PromiseLike<unknown>): Promise<boolean> {
  let isSettled = false;
  const mark = (): void => void (isSettled = true);
  promise.then(mark, mark);
  for (let slot = 0; slot < FEW_PROMISES && !isSettled; slot++) await Promise.resolve();
  return isSettled;
}
