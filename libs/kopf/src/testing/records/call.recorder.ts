import type { Invocation } from '../../contexts/invocation.js';
import type { Outcome } from '../../execution/outcome.js';
import type { Handler } from '../../registry/handler.js';
import type { KubeObject } from '../../objects/kube-object.js';
import { isSameObject } from './event.recorder.js';
import type { Clock } from 'kube-common';

/** The outcome of a call of a handler: `retried` if there will be another attempt, `failed` if there will be none. */
export type CallOutcome = 'running' | 'succeeded' | 'retried' | 'failed';

/** One call of a handler. */
export interface RecordedCall {
  /** The id of the handler; that of a sub-handler begins with the ids of its parents: `create/part`. */
  readonly id: string;
  /** The name and the namespace of the object; absent in activities. */
  readonly name?: string;
  readonly namespace?: string;
  readonly uid?: string;
  /** The reason of the change, for handlers of changes: `create`. */
  readonly reason?: string;
  /** The number of attempts before this one. */
  readonly retry: number;
  /** The time at which it was called, in seconds since the test began. */
  readonly time: number;
  readonly outcome: CallOutcome;
  readonly result?: unknown;
  readonly error?: Error;
  /** Seconds until the next attempt. */
  readonly delay?: number;
}

/** The record of calls of handlers in their order, over all restarts of the operator. */
export class CallRecorder implements Iterable<RecordedCall> {
  readonly all: RecordedCall[] = [];
  private readonly running = new WeakMap<Invocation, { -readonly [Key in keyof RecordedCall]: RecordedCall[Key] }>();

  /** @internal */
  constructor(private readonly clock: Clock) {}

  /** @internal */
  isRoutine(): boolean {
    return false;
  }

  /** The ids of the handlers that were called. */
  get ids(): string[] {
    return this.all.map(({ id }) => id);
  }

  /** The calls for an object, or of the handler with the id. */
  of(subject: string | Pick<KubeObject, 'metadata'>): RecordedCall[] {
    if (typeof subject === 'string') return this.all.filter(({ id }) => id === subject);
    return this.all.filter((call) => isSameObject(call, subject.metadata));
  }

  /** Forgets the calls so far, and returns them. */
  take(): RecordedCall[] {
    return this.all.splice(0);
  }

  [Symbol.iterator](): Iterator<RecordedCall> {
    return this.all[Symbol.iterator]();
  }

  /** @internal */
  begin(
    { id }: Handler,
    invocation: Invocation,
    cause: { readonly body?: KubeObject; readonly reason?: string } = {},
  ): void {
    const { name, namespace, uid } = cause.body?.metadata ?? {};
    const object = cause.body && {
      name,
      ...(namespace !== undefined && { namespace }),
      ...(uid !== undefined && { uid }),
    };
    const time = this.clock.monotonic() / 1000;
    const reason = cause.reason === undefined ? undefined : { reason: cause.reason };
    const call = { id, ...object, ...reason, retry: invocation.retry, time, outcome: 'running' as const };
    this.running.set(invocation, call);
    this.all.push(call);
  }

  /** @internal */
  end(invocation: Invocation, { final, error, delay, result }: Outcome): void {
    const call = this.running.get(invocation);
    if (!call) return;
    call.outcome = error ? (final ? 'failed' : 'retried') : 'succeeded';
    if (result !== undefined) call.result = result;
    if (error) call.error = error;
    if (delay !== undefined) call.delay = delay;
  }
}
