import type { OperatorEventCall, OperatorEventObject } from 'nestjs-kopf/inspection';
import type { KubeObject } from 'nestjs-kopf';
import { essenceOf } from './called.essence.js';
import { FailureStreak } from './failure.streak.js';
import type { Violation } from './violation.js';

/** A call of a handler of changes. */
export interface HandlingCall {
  readonly process: number;
  readonly id: string;
  readonly uid: string;
  readonly object: string;
  readonly reason: string;
  /** The part of the object whose changes handlers are called for. */
  readonly essence: string;
  /** The same part without any field of the status, so that it is equal for all handlers. */
  readonly state: string;
  /** The resource version of the object that the handler was given. */
  readonly version: number;
  /** Whether the object was being deleted in the handler's view. */
  readonly isDeleting: boolean;
  /** The value of the run's `outages` at the call. */
  readonly outages: number;
  readonly described: OperatorEventCall;
  readonly reference: OperatorEventObject;
  /** The option `retries` of the handler; absent if there is no limit. */
  readonly retries?: number;
  /** Whether the option `errors` keeps the handler from being called again after an error. */
  readonly isFinal?: boolean;
  /** Whether a fault of the plan has rejected a part of the object's patches before the call. */
  readonly isRejected: boolean;
  /** The time of the call, in milliseconds. */
  readonly begun: number;
  /** The time at which the call has ended, in milliseconds. */
  ended?: number;
  /** Seconds after which the handler is to be called again. */
  delay?: number;
  outcome?: 'succeeded' | 'failed' | 'retried';
  /** The attempt of the parent handler, if this is a sub-handler. */
  parentAttempt?: number;
  /** Whether the process may have lost its leadership before it has stored the outcome. It must not store it then. */
  isLosable?: boolean;
}

/** Seconds by which a handler may be called too early, as stored times are rounded. */
const EARLINESS = 1;
/** Seconds by which a handler may be called too late. This is longer than faults last, and than the pauses of an operator. */
const LATENESS = 1800;

/** A call of a daemon or a timer. */
export type BackgroundCall = Pick<HandlingCall, 'process' | 'id' | 'uid' | 'object'>;

/** An object before and after a change. */
export interface ChangedObject {
  readonly before?: KubeObject;
  readonly after?: KubeObject;
}

/**
 * Checks how handlers are called. Change handlers never run at the same time for one object, and are not called again when their work is done.
 * Daemons and timers never run twice at a time.
 */
export class HandlingOracle {
  /** The last call of a handler of any kind, in words: `'tick' for ConfigMap default/a`. */
  lastCall?: string;
  readonly failures = new FailureStreak();
  private readonly calls: HandlingCall[] = [];
  /** The number of calls before the present state of an object that the user changes. */
  private stateBegun = 0;
  private readonly running = new Set<HandlingCall>();
  /** The calls whose outcome is not stored on the object yet. */
  private readonly unstored = new Set<HandlingCall>();
  private readonly overlaps = new Set<string>();
  /** The calls of daemons and timers that are running, by process, handler, and object. */
  private readonly background = new Set<string>();
  private readonly crashed = new Set<number>();
  /** The processes that have taken over objects of frozen processes, by frozen process and object. */
  private readonly takenOver = new Map<string, number>();
  /** The processes that were frozen and have not renewed their leadership since. */
  private readonly frozen = new Set<number>();
  /** The processes that are frozen now. */
  private readonly frozenNow = new Set<number>();

  /** @param changes all changes of objects so far, in their order */
  constructor(private readonly changes: readonly ChangedObject[] = []) {}

  begin(call: HandlingCall): void {
    for (const other of this.running) {
      const isParent = other.uid === call.uid && other.process === call.process && call.id.startsWith(`${other.id}/`);
      if (isParent) call.parentAttempt = other.described.attempt;
      if (other.uid !== call.uid || (other.id !== call.id && other.process === call.process)) continue;
      this.overlaps.add(`'${call.id}' is called for ${call.object} while '${other.id}' is at work`);
    }
    for (const process of this.frozen) {
      if (process !== call.process) this.takenOver.set(`${process} ${call.uid}`, call.process);
    }
    // Callbacks that were ready to run at the moment of the freeze still run.
    if (!this.frozenNow.has(call.process)) this.running.add(call);
    this.unstored.add(call);
    this.calls.push(call);
  }

  /** Records that a call of a daemon or a timer begins or ends. Two calls for one object must not overlap. */
  onBackground({ process, id, uid, object }: BackgroundCall, isBegun: boolean): void {
    const key = `${process} ${id} ${uid}`;
    if (!isBegun) this.background.delete(key);
    else if (this.background.has(key)) this.overlaps.add(`'${id}' is called for ${object} while it is at work`);
    else this.background.add(key);
  }

  /** Whether a handler is running for an object that was not being deleted in the handler's view. */
  isAtWorkFor(uid: string): boolean {
    for (const call of this.running) if (call.uid === uid && !call.isDeleting) return true;
    return false;
  }

  /** Records that a process has finished an object: it has stored the outcome of the calls, if it could. */
  onCycleEnd(process: number, uid: string): void {
    for (const call of this.unstored) {
      if (call.process === process && call.uid === uid && call.outcome) this.unstored.delete(call);
    }
  }

  /** Checks a change of an object: a process that was frozen must not write objects that another process has taken over. */
  onWrite(process: number, { kind, metadata }: KubeObject): void {
    if (!this.takenOver.has(`${process} ${metadata.uid}`)) return;
    const object = `${kind} ${metadata.namespace ? `${metadata.namespace}/` : ''}${metadata.name}`;
    this.overlaps.add(`${object} is written by a replica that was frozen, though another one has taken it over`);
  }

  end(call: HandlingCall): void {
    this.running.delete(call);
  }

  /** Ignores the running calls of a frozen process, as they cannot end. The process must not continue them. */
  onFreeze(process: number): void {
    this.frozen.add(process);
    this.frozenNow.add(process);
    this.forgetTakeovers(process);
    for (const call of this.running) {
      if (call.process === process) this.running.delete(call);
    }
  }

  /** Records that a frozen process continues. */
  onThaw(process: number): void {
    this.frozenNow.delete(process);
  }

  /** Records that a process has renewed its leadership. A process that was frozen knows again then whether others lead. */
  onRenewal(process: number): void {
    if (!this.frozen.delete(process)) return;
    for (const key of this.takenOver.keys()) if (key.startsWith(`${process} `)) this.takenOver.delete(key);
  }

  /**
   * Records that the leadership of a process may have expired. What the process has not stored by then is done again, by itself or by another
   * process.
   */
  onExpiry(process: number): void {
    for (const call of this.unstored) if (call.process === process) call.isLosable = true;
  }

  /** Drops the calls that a process had under way when it ended. */
  onCrash(process: number): void {
    this.crashed.add(process);
    this.frozen.delete(process);
    this.frozenNow.delete(process);
    this.forgetTakeovers(process);
    for (const call of this.running) if (call.process === process) this.running.delete(call);
  }

  /** A process that stays frozen can be succeeded by any other process, also by one that was frozen before. */
  private forgetTakeovers(by: number): void {
    for (const [key, process] of this.takenOver) if (process === by) this.takenOver.delete(key);
  }

  /** The id of a handler that fails again and again, if there is one. */
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

  /** Whether a handler may have given up, as what its last attempt had to store was rejected. */
  get hasGivenUp(): boolean {
    return this.calls.some(
      ({ isRejected, isFinal, retries, described }) =>
        isRejected && (isFinal || described.attempt >= (retries ?? Infinity)),
    );
  }

  /** Whether a handler may retry without limit, as what it has to store is rejected each time. */
  get isUnlimited(): boolean {
    return this.calls.some(({ isRejected, isFinal, retries }) => isRejected && !isFinal && retries === undefined);
  }

  /** Begins another state of an object that the user changes. */
  beginState(): void {
    this.stateBegun = this.calls.length;
  }

  /** Whether the last call of any handler in the present state has failed, and the handler is not called again. */
  get hasFailedForGood(): boolean {
    const calls = this.calls.slice(this.stateBegun);
    const last = new Map(calls.map((call) => [`${call.uid} ${call.id}`, call.outcome]));
    return [...last.values()].includes('failed');
  }

  get violations(): readonly Violation[] {
    const overlaps = [...this.overlaps].map((message) => ({ check: 'overlap' as const, message }));
    return [...overlaps, ...this.findRepetitions(), ...this.findMisplaced()];
  }

  /** Finds calls of one process that exceed `retries`, or that come at another time than the attempt before has asked for. */
  private findMisplaced(): Violation[] {
    const lasts = new Map<string, { readonly call: HandlingCall; readonly count: number }>();
    const retries = new Set<string>();
    const delays = new Set<string>();
    for (const call of this.calls) {
      const key = `${call.process} ${call.uid} ${call.id}`;
      const last = lasts.get(key);
      const isAgain = last !== undefined && this.isAgain(last.call, call);
      const count = isAgain ? last.count + 1 : 1;
      lasts.set(key, { call, count });
      if (!isAgain) continue;
      if (call.retries !== undefined && count > call.retries) {
        retries.add(`'${call.id}' is called more often for ${call.object} than its ${call.retries} retries allow`);
      }
      const { ended, delay } = last.call;
      if (ended === undefined || delay === undefined) continue;
      const late = (call.begun - ended) / 1000 - delay;
      const when = late < -EARLINESS ? 'too early' : late > LATENESS ? 'much too late' : undefined;
      if (when)
        delays.add(
          `'${call.id}' is called again for ${call.object} ${when}: its last attempt was to be followed by another one after ${delay} s`,
        );
    }
    return [
      ...[...retries].map((message) => ({ check: 'retries' as const, message })),
      ...[...delays].map((message) => ({ check: 'delays' as const, message })),
    ];
  }

  /** Whether a call is a further attempt for the same change by the same process, with nothing in between that starts the change again. */
  private isAgain(last: HandlingCall, call: HandlingCall): boolean {
    if (call.reason === 'resume' || last.reason !== call.reason) return false;
    if (last.essence !== call.essence || last.state !== call.state || last.isLosable) return false;
    if (last.outages !== call.outages || last.outages % 2 === 1) return false;
    return !this.hasReturned(last, call);
  }

  private findRepetitions(): Violation[] {
    const done = new Map<string, HandlingCall>();
    const found = new Set<string>();
    for (const call of this.calls) {
      if (call.reason === 'resume') continue;
      // Another handler was called for a change in between. When that change is taken back, it is handled, too.
      for (const [key, { uid, state, process }] of done) {
        if (uid === call.uid && state !== call.state && process === call.process) done.delete(key);
      }
      const key = `${call.uid} ${call.id}`;
      const last = done.get(key);
      if (call.outcome !== 'succeeded') {
        // The handler may have acted for a change. If the change is taken back, it is called again for the state before.
        if (last?.essence !== call.essence) done.delete(key);
        continue;
      }
      done.set(key, call);
      if (last?.essence !== call.essence || last.reason !== call.reason) continue;
      // A process that has crashed may not have stored that the handler has succeeded.
      if (last.process !== call.process && this.crashed.has(last.process)) continue;
      if (last.isLosable) continue;
      if (call.isRejected && isFurtherAttempt(last, call)) continue;
      // Neither can a process that is disconnected from the API server for longer than it retries.
      if (last.outages !== call.outages || last.outages % 2 === 1) continue;
      if (this.hasReturned(last, call)) continue;
      found.add(`'${call.id}' is called again for the same state of ${call.object}`);
    }
    return [...found].map((message) => ({ check: 'repetition' as const, message }));
  }

  /** Whether an object was in another state between two calls for the same state, even if no handler was called for the other one. */
  private hasReturned(first: HandlingCall, second: HandlingCall): boolean {
    return this.changes.some(({ before, after }) => {
      const version = Number(after?.metadata.resourceVersion);
      if (!before || !after || after.metadata.uid !== second.uid) return false;
      if (!(version > first.version && version <= second.version)) return false;
      return essenceOf(after) === second.state && essenceOf(before) !== second.state;
    });
  }
}

/** Whether the patch of a handler was rejected. The rejection counts as a failure of the handler, or of its parent handler, which is repeated. */
function isFurtherAttempt(last: HandlingCall, call: HandlingCall): boolean {
  if (call.described.attempt > last.described.attempt) return true;
  return (call.parentAttempt ?? 0) > (last.parentAttempt ?? 0);
}
