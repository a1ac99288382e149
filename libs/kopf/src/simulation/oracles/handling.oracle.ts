import type { Invocation } from '../../contexts/invocation.js';
import type { Outcome } from '../../execution/outcome.js';
import { resolveField, type FieldPath } from '../../objects/field-path.js';
import type { KubeObject } from '../../objects/kube-object.js';
import type { Handler } from '../../registry/handler.js';
import type { Clock } from '../../common/clock.js';
import { CallRecorder } from '../../testing/call.recorder.js';
import type { RestDelay } from '../run/rest.delay.js';
import type { Timeline } from '../run/timeline.js';
import type { OperatorEventActor, OperatorEventCall, OperatorEventObject } from '../../event-log/operator.event.js';
import { TemporaryError } from '../../execution/handler.errors.js';
import { FailureStreak } from './failure.streak.js';
import type { Violation } from './violation.js';

/** A call of a handler of changes. */
interface HandlingCall {
  readonly process: number;
  readonly id: string;
  readonly uid: string;
  readonly object: string;
  readonly reason: string;
  /** The part of the object that handlers are called for. */
  readonly essence: string;
  /** The same for all handlers: without the status, also where a handler has a field of it. */
  readonly state: string;
  /** As {@link CallObservers.outages} was at the call. */
  readonly outages: number;
  readonly described: OperatorEventCall;
  readonly reference: OperatorEventObject;
  outcome?: 'succeeded' | 'failed' | 'retried';
  /** Is true if the process could lose its leadership before it had stored the outcome: it is not to store it then. */
  isLosable?: boolean;
}

/** The parts of a run that are told of the calls of handlers. */
export interface CallObservers {
  readonly timeline: Timeline;
  /** The number of times at which the API server has begun, or ceased, to refuse connections: odd while it refuses them. */
  readonly outages: number;
  /** Told of all calls that are for an object, also of those of other handlers than those of changes. */
  onCall(call: OperatorEventCall): void;
  /** Told of the calls of daemons and timers until each of them has done its work once. */
  readonly restDelay: Pick<RestDelay, 'onBackgroundCall'>;
}

/** Matches the kinds of daemons and timers. */
const BACKGROUND = /^(daemon|timer|child|reference)$/;
/** The number of retries of a daemon or a timer after which it is taken to fail for ever. */
const RETRIES_LIMIT = 10;

/** Checks how handlers of changes are called: never at the same time for one object, and not again for what is done. */
export class HandlingOracle {
  /** The last call of a handler of any kind: `'tick' for ConfigMap default/a`. */
  lastCall?: string;
  readonly failures = new FailureStreak();
  private readonly calls: HandlingCall[] = [];
  private readonly running = new Set<HandlingCall>();
  /** The calls whose outcome is not on the object yet. */
  private readonly unstored = new Set<HandlingCall>();
  private readonly overlaps = new Set<string>();
  private readonly crashed = new Set<number>();
  /** The objects of frozen processes that others have taken over since: by process and object, who has. */
  private readonly takenOver = new Map<string, number>();
  private readonly frozen = new Set<number>();

  /** Makes what records the calls of one process. */
  recorderOf(process: OperatorEventActor, clock: Clock, observers: CallObservers): HandlingRecorder {
    return new HandlingRecorder(clock, process, observers, this);
  }

  begin(call: HandlingCall): void {
    for (const other of this.running) {
      if (other.uid !== call.uid || (other.id !== call.id && other.process === call.process)) continue;
      this.overlaps.add(`'${call.id}' is called for ${call.object} while '${other.id}' is at work`);
    }
    for (const process of this.frozen) {
      if (process !== call.process) this.takenOver.set(`${process} ${call.uid}`, call.process);
    }
    this.running.add(call);
    this.unstored.add(call);
    this.calls.push(call);
  }

  /** Follows a change of an object: a process that has stood still must leave alone what another one has taken over. */
  onWrite(process: number, { kind, metadata }: KubeObject): void {
    for (const call of this.unstored) {
      if (call.process === process && call.uid === metadata.uid && call.outcome) this.unstored.delete(call);
    }
    if (!this.takenOver.has(`${process} ${metadata.uid}`)) return;
    const object = `${kind} ${metadata.namespace ? `${metadata.namespace}/` : ''}${metadata.name}`;
    this.overlaps.add(`${object} is written by a replica that has stood still, though another one has taken it over`);
  }

  end(call: HandlingCall): void {
    this.running.delete(call);
  }

  /** Leaves out the calls that a process has under way and that nobody can end: it must only not go on with them. */
  onFreeze(process: number): void {
    this.frozen.add(process);
    this.forgetTakeovers(process);
    for (const call of this.running) {
      if (call.process === process) this.running.delete(call);
    }
  }

  /** Notes that a process has renewed its claim to lead: one that has stood still knows again whether others work. */
  onRenewal(process: number): void {
    if (!this.frozen.delete(process)) return;
    for (const key of this.takenOver.keys()) if (key.startsWith(`${process} `)) this.takenOver.delete(key);
  }

  /** Notes that the leadership of a process may have expired. What it has not stored by then, itself or another one does again. */
  onExpiry(process: number): void {
    for (const call of this.unstored) if (call.process === process) call.isLosable = true;
  }

  /** Forgets the calls that a process had under way when it ended. */
  onCrash(process: number): void {
    this.crashed.add(process);
    this.frozen.delete(process);
    this.forgetTakeovers(process);
    for (const call of this.running) if (call.process === process) this.running.delete(call);
  }

  /** A process that does not go on can be succeeded by any other, also by one that has stood still before. */
  private forgetTakeovers(by: number): void {
    for (const [key, process] of this.takenOver) if (process === by) this.takenOver.delete(key);
  }

  /** Names the handler that fails again and again, if any does. */
  get mostFailing(): string | undefined {
    const counts = new Map<string, number>();
    for (const { id, object, outcome } of this.calls) {
      const key = `'${id}' for ${object} fails again and again`;
      if (outcome === 'retried') counts.set(key, (counts.get(key) ?? 0) + 1);
      else if (outcome) counts.delete(key);
    }
    const [most] = [...counts].sort(([, one], [, other]) => other - one);
    return most?.[0];
  }

  /** The ids of all handlers that were called. */
  get ids(): ReadonlySet<string> {
    return new Set(this.calls.map(({ id }) => id));
  }

  /** Tells whether the last call of any handler for an object has failed. */
  get isFailing(): boolean {
    const last = new Map(this.calls.map((call) => [`${call.uid} ${call.id}`, call.outcome]));
    return [...last.values()].some((outcome) => outcome === 'failed' || outcome === 'retried');
  }

  get violations(): readonly Violation[] {
    const overlaps = [...this.overlaps].map((message) => ({ check: 'overlap' as const, message }));
    return [...overlaps, ...this.findRepetitions()];
  }

  private findRepetitions(): Violation[] {
    const done = new Map<string, HandlingCall>();
    const found = new Set<string>();
    for (const call of this.calls) {
      if (call.reason === 'resume') continue;
      // What others were called for meanwhile was a change, which is handled when it is taken back.
      for (const [key, { uid, state, process }] of done) {
        if (uid === call.uid && state !== call.state && process === call.process) done.delete(key);
      }
      const key = `${call.uid} ${call.id}`;
      const last = done.get(key);
      if (call.outcome !== 'succeeded') {
        // It may have begun to act for a change: if that is taken back, it is called again for the state from before.
        if (last?.essence !== call.essence) done.delete(key);
        continue;
      }
      done.set(key, call);
      if (last?.essence !== call.essence || last.reason !== call.reason) continue;
      // A process that has crashed may not have stored that the handler is done.
      if (last.process !== call.process && this.crashed.has(last.process)) continue;
      if (last.isLosable) continue;
      // Nor can one that cannot reach the API server for longer than it tries to.
      if (last.outages !== call.outages || last.outages % 2 === 1) continue;
      found.add(`'${call.id}' is called again for the same state of ${call.object}`);
    }
    return [...found].map((message) => ({ check: 'repetition' as const, message }));
  }
}

/** Records the calls of one process. */
export class HandlingRecorder extends CallRecorder {
  private readonly active = new WeakMap<Invocation, HandlingCall>();
  /** The calls of daemons and timers that have not done their work before, with their handlers and objects. */
  private readonly firstCalls = new WeakMap<Invocation, string>();
  /** The daemons and timers that were called, by their handlers and objects; true once they have done their work, or given up. */
  private readonly begun = new Map<string, boolean>();

  constructor(
    clock: Clock,
    private readonly process: OperatorEventActor,
    private readonly observers: CallObservers,
    private readonly oracle: HandlingOracle,
  ) {
    super(clock);
  }

  /** Tells whether a daemon or a timer was called for an object. */
  readonly hasBegun = (id: string, uid: string): boolean => this.begun.has(`${id} ${uid}`);

  /** A timer that has done its work once goes on all the time: what it changes, and the quiet time after that, are waited for. */
  override isRoutine({ id }: Handler, uid = ''): boolean {
    return this.begun.get(`${id} ${uid}`) === true;
  }

  override begin(
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
    this.oracle.lastCall = `'${handler.id}' for ${object}`;
    if (!reason) {
      if (!BACKGROUND.test(described.reason)) return;
      const key = `${handler.id} ${uid}`;
      if (this.begun.get(key)) return;
      if (!this.begun.has(key)) this.observers.restDelay.onBackgroundCall(0);
      this.begun.set(key, false);
      this.firstCalls.set(invocation, key);
      return;
    }
    const reference = { kind: body.kind ?? '', namespace, name };
    const process = this.process.process ?? 0;
    const state = essenceOf(body);
    const call = {
      process,
      id: handler.id,
      uid,
      object,
      reason,
      essence: 'field' in handler ? essenceOf(body, handler) : state,
      state,
      outages: this.observers.outages,
      described,
      reference,
    };
    const text = `calls '${handler.id}' for ${object} (${reason}${attempt > 1 ? `, attempt ${attempt}` : ''})`;
    this.observers.timeline.note(this.process, text, { type: 'call', object: reference, call: described });
    this.active.set(invocation, call);
    this.oracle.begin(call);
  }

  override end(invocation: Invocation, outcome: Outcome): void {
    this.endFirstCall(invocation, outcome);
    const call = this.active.get(invocation);
    if (!call) return;
    call.outcome = outcome.error ? (outcome.final ? 'failed' : 'retried') : 'succeeded';
    const because = outcome.error ? `: ${outcome.error.message}` : '';
    const { described, reference: object, outcome: ending } = call;
    this.observers.timeline.note(this.process, `'${call.id}' for ${call.object} has ${ending}${because}`, {
      type: 'outcome',
      object,
      call: { ...described, outcome: ending, ...(outcome.error && { error: outcome.error.message }) },
    });
    this.oracle.end(call);
    this.oracle.failures.note(this.clock.monotonic(), failureOf(call, outcome));
  }

  /** Follows the end of a call of a daemon or a timer that has not done its work before. One that fails for ever is not waited for. */
  private endFirstCall(invocation: Invocation, { error, delay }: Outcome): void {
    const key = this.firstCalls.get(invocation);
    if (key === undefined) return;
    if (error && delay !== undefined && invocation.retry < RETRIES_LIMIT)
      this.observers.restDelay.onBackgroundCall(delay);
    else this.begun.set(key, true);
  }
}

/** Says which handler has failed, and how; `undefined` if it has not, or has asked to be called again later. */
function failureOf({ process, id, uid, reason, essence }: HandlingCall, { error }: Outcome): string | undefined {
  if (!error || error instanceof TemporaryError) return undefined;
  return JSON.stringify([process, id, uid, reason, essence, error.message]);
}

/** Names what leads to calls of a handler that is not for changes. */
function kindOf(handler: Handler): string {
  return 'kind' in handler ? String(handler.kind) : 'event';
}

/** The part of an object that a handler is called for: a field of the status belongs to it only if it is the handler's own. */
function essenceOf(body: KubeObject, handler?: Handler): string {
  const { metadata, ...fields } = body;
  const { field: path } = (handler ?? {}) as { readonly field?: FieldPath };
  const field = path && resolveField(body, path);
  const rest = { ...fields, status: undefined, field };
  const annotations = Object.entries(metadata.annotations ?? {}).filter(([key]) => !/^kopf\.|^kubectl\./.test(key));
  return JSON.stringify([rest, metadata.labels, annotations, metadata.deletionTimestamp !== undefined]);
}
