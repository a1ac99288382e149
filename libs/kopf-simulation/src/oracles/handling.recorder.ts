import type { Clock } from 'kube-common';
import type { CallObserver, Handler, Invocation, Outcome } from 'nestjs-kopf/tooling';
import type { OperatorEventActor, OperatorEventCall } from 'nestjs-kopf/inspection';
import { type KubeObject, TemporaryError } from 'nestjs-kopf';
import type { RestDelay } from '../run/rest.delay.js';
import type { Timeline } from '../run/timeline.js';
import { essenceOf } from './called.essence.js';
import type { BackgroundCall, HandlingCall, HandlingOracle } from './handling.oracle.js';

/** The parts of a run that observe the calls of handlers. */
export interface CallObservers {
  readonly timeline: Timeline;
  /** The number of times that the API server has begun or stopped refusing connections: odd while it refuses them. */
  readonly outages: number;
  /** Whether a fault of the plan has rejected a part of the object's patches so far. */
  isRejected(object: KubeObject): boolean;
  /** Called with each call of a handler for an object. */
  onCall(call: OperatorEventCall): void;
  /** Gets the calls of daemons and timers until each of them has done its work once. */
  readonly restDelay: Pick<RestDelay, 'onBackgroundCall'>;
}

/** Matches the kinds of handlers that run in the background. */
const BACKGROUND = /^(daemon|timer|child|reference)$/;
/** Matches the kinds of background handlers that are called only after changes: each of their calls is to do its work, not only the first one. */
const RELATED = /^(child|reference)$/;
/** The number of retries after which a daemon or a timer is assumed to fail permanently. */
const RETRIES_LIMIT = 10;

/** Records the calls of one process for {@link HandlingOracle}, and the first calls of daemons and timers for the delay of rest. */
export class HandlingRecorder implements CallObserver {
  private readonly active = new WeakMap<Invocation, HandlingCall>();
  private readonly background = new WeakMap<Invocation, BackgroundCall>();
  /** The calls of daemons and timers that have not done their work yet, with their handlers and objects. */
  private readonly firstCalls = new WeakMap<Invocation, { readonly key: string; readonly isRelated: boolean }>();
  /** The daemons and timers that were called, by handler and object; true once they have done their work or given up. */
  private readonly begun = new Map<string, boolean>();

  constructor(
    private readonly clock: Clock,
    private readonly process: OperatorEventActor,
    private readonly observers: CallObservers,
    private readonly oracle: HandlingOracle,
  ) {}

  /** Whether a daemon or a timer was called for an object. */
  readonly hasBegun = (id: string, uid: string): boolean => this.begun.has(`${id} ${uid}`);

  /**
   * Whether a daemon or a timer has done its work once. Further calls are routine: the run waits for their changes, and for the quiet time after
   * these.
   */
  isRoutine({ id }: Handler, uid = ''): boolean {
    return this.begun.get(`${id} ${uid}`) === true;
  }

  begin(
    handler: Handler,
    invocation: Invocation,
    cause: { readonly body?: KubeObject; readonly reason?: string } = {},
  ): void {
    const { body, reason } = cause;
    if (!body) return;
    const attempt = invocation.retry + 1;
    const described = { id: handler.id, reason: reason ?? kindOf(handler), attempt };
    this.observers.onCall(described);
    const { uid = '', name = '', namespace } = body.metadata;
    const object = `${body.kind} ${namespace ? `${namespace}/` : ''}${name}`;
    const process = this.process.process ?? 0;
    this.oracle.lastCall = `'${handler.id}' for ${object}`;
    if (!reason) {
      if (!BACKGROUND.test(described.reason)) return;
      this.beginBackground(invocation, { process, id: handler.id, uid, object }, described);
      return;
    }
    const reference = { kind: body.kind ?? '', namespace, name };
    const state = essenceOf(body);
    const call = {
      process,
      id: handler.id,
      uid,
      object,
      reason,
      essence: 'field' in handler ? essenceOf(body, handler) : state,
      state,
      version: Number(body.metadata.resourceVersion),
      isDeleting: body.metadata.deletionTimestamp !== undefined,
      outages: this.observers.outages,
      isRejected: this.observers.isRejected(body),
      begun: this.clock.monotonic(),
      ...('retries' in handler && handler.retries !== undefined && { retries: handler.retries }),
      isFinal: 'errors' in handler && handler.errors !== undefined && handler.errors !== 'temporary',
      described,
      reference,
    };
    const text = `calls '${handler.id}' for ${object} (${reason}${attempt > 1 ? `, attempt ${attempt}` : ''})`;
    this.observers.timeline.note(this.process, text, { type: 'call', object: reference, call: described });
    this.active.set(invocation, call);
    this.oracle.begin(call);
  }

  end(invocation: Invocation, outcome: Outcome): void {
    this.endBackground(invocation);
    this.endFirstCall(invocation, outcome);
    const call = this.active.get(invocation);
    if (!call) return;
    // A parent handler whose sub-handlers wait is called again, though it has not failed. A review that rejects has decided.
    const isDone = !outcome.error || outcome.rejected;
    call.outcome = isDone ? 'succeeded' : outcome.final ? 'failed' : 'retried';
    call.ended = this.clock.monotonic();
    if (!isDone && !outcome.final) call.delay = outcome.delay;
    const because = outcome.error ? `: ${outcome.error.message}` : '';
    const { described, reference: object, outcome: ending } = call;
    this.observers.timeline.note(this.process, `'${call.id}' for ${call.object} has ${ending}${because}`, {
      type: 'outcome',
      object,
      call: { ...described, outcome: ending, ...(outcome.error && { error: outcome.error.message }) },
    });
    this.oracle.end(call);
    const isWait = outcome.error instanceof TemporaryError;
    this.oracle.failures.note(this.clock.monotonic(), failureOf(call, outcome), isWait);
  }

  private beginBackground(invocation: Invocation, call: BackgroundCall, { reason, attempt }: OperatorEventCall): void {
    this.background.set(invocation, call);
    this.oracle.onBackground(call, true);
    const key = `${call.id} ${call.uid}`;
    const isRelated = RELATED.test(reason);
    if (this.begun.get(key) && !(isRelated && attempt === 1)) return;
    if (!this.begun.has(key)) this.observers.restDelay.onBackgroundCall(0);
    this.begun.set(key, false);
    this.firstCalls.set(invocation, { key, isRelated });
  }

  private endBackground(invocation: Invocation): void {
    const call = this.background.get(invocation);
    if (call) this.oracle.onBackground(call, false);
  }

  /** Records the end of a call of a daemon or a timer that is still to do its work. The run does not wait for one that fails permanently. */
  private endFirstCall(invocation: Invocation, { error, delay }: Outcome): void {
    const call = this.firstCalls.get(invocation);
    if (call === undefined) return;
    const isRetried = error !== undefined && delay !== undefined;
    if (isRetried && invocation.retry < RETRIES_LIMIT) this.observers.restDelay.onBackgroundCall(delay);
    else this.begun.set(call.key, isRetried || !call.isRelated);
  }
}

/** The identity of a failure, by handler, object, and error; `undefined` if the handler has succeeded. */
function failureOf({ process, id, uid, reason, essence }: HandlingCall, { error }: Outcome): string | undefined {
  if (!error) return undefined;
  return JSON.stringify([process, id, uid, reason, essence, error.message]);
}

/** The kind of a handler that is not for changes. */
function kindOf(handler: Handler): string {
  return 'kind' in handler ? String(handler.kind) : 'event';
}
