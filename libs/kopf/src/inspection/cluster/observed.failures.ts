import type { ObservedFailure, ObservedObject } from './observed.object.js';

/** The most objects whose failures are remembered. */
const MOST = 10_000;

interface Remembered extends ObservedFailure {
  /** The generation of the object that was handled, as soon as it is known. */
  generation?: number;
}

/**
 * The permanent failures that Kubernetes events report, by the uids of the objects: operators remove the record of a failure from the
 * object as soon as its other handlers are done. Events and objects come over different watches, in any order.
 */
export class ObservedFailures {
  private readonly failures = new Map<string, Remembered>();
  /** When handlers have succeeded last, by the uids of the objects. */
  private readonly successes = new Map<string, number>();

  /** Records a failure, unless a later success is known. */
  fail(uid: string, failure: ObservedFailure): void {
    if ((this.successes.get(uid) ?? -Infinity) >= failure.at) return;
    if ((this.failures.get(uid)?.at ?? -Infinity) >= failure.at) return;
    remember(this.failures, uid, { ...failure });
  }

  /** Records that all handlers, or only the given one, have succeeded at that time. */
  succeed(uid: string, at: number, handler?: string): void {
    const failure = this.failures.get(uid);
    if (handler === undefined) remember(this.successes, uid, Math.max(at, this.successes.get(uid) ?? 0));
    if (failure && failure.at <= at && (handler ?? failure.handler) === failure.handler) this.failures.delete(uid);
  }

  /** Adds the failure to a new state of the object, unless the object has another generation, or is handled again. */
  attach(object: ObservedObject): ObservedObject {
    const { uid, generation } = object;
    const failure = uid === undefined ? undefined : this.failures.get(uid);
    if (!failure || uid === undefined) return object;
    failure.generation ??= generation;
    const isRepeated = object.progress.some(({ handler, ended }) => handler === failure.handler && ended === undefined);
    if (failure.generation !== generation || isRepeated) {
      this.failures.delete(uid);
      return object;
    }
    const { handler, error, at } = failure;
    return { ...object, failure: { handler, error, at } };
  }

  /** Forgets an object that has gone. */
  forget(uid: string): void {
    this.failures.delete(uid);
    this.successes.delete(uid);
  }
}

/** Adds a value as the newest, and removes the oldest if there are too many. */
function remember<T>(values: Map<string, T>, key: string, value: T): void {
  values.delete(key);
  values.set(key, value);
  if (values.size > MOST) values.delete(values.keys().next().value!);
}
