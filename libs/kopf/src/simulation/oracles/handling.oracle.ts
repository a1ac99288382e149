import type { OperatorEventCall, OperatorEventObject } from '../../inspection/event-log/operator.event.js';
import type { KubeObject } from '../../objects/kube-object.js';
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
  /** The part of the object that handlers are called for. */
  readonly essence: string;
  /** The same for all handlers: without the status, also where a handler has a field of it. */
  readonly state: string;
  /** The resource version of the object that was shown. */
  readonly version: number;
  /** Is true if the object was shown as being deleted. */
  readonly isDeleting: boolean;
  /** As `outages` of the run was at the call. */
  readonly outages: number;
  readonly described: OperatorEventCall;
  readonly reference: OperatorEventObject;
  /** The number of attempts that the handler has by its option; absent if there is no limit. */
  readonly retries?: number;
  /** Is true if the handler is not called again after an error, by its option `errors`. */
  readonly isFinal?: boolean;
  /** Is true if a part of the object's patches was rejected before by a fault of the plan. */
  readonly isRejected: boolean;
  /** The time of the call, in milliseconds. */
  readonly begun: number;
  /** The time at which the call has ended, in milliseconds. */
  ended?: number;
  /** Seconds after which the handler is to be called again. */
  delay?: number;
  outcome?: 'succeeded' | 'failed' | 'retried';
  /** The attempt of the handler that has called this one as its sub-handler. */
  parentAttempt?: number;
  /** Is true if the process could lose its leadership before it had stored the outcome: it is not to store it then. */
  isLosable?: boolean;
}

/** Seconds by which a handler may be called too early: times are stored with less digits than they have. */
const EARLINESS = 1;
/** Seconds by which a handler may be called too late: longer than faults last, and than the pauses of an operator. */
const LATENESS = 1800;

/** A call of a daemon or a timer. */
export type BackgroundCall = Pick<HandlingCall, 'process' | 'id' | 'uid' | 'object'>;

/** An object before a change, and after it. */
export interface ChangedObject {
  readonly before?: KubeObject;
  readonly after?: KubeObject;
}

/**
 * Checks how handlers are called: those of changes never at the same time for one object, and not again for what is done; daemons and timers
 * never twice at a time.
 */
export class HandlingOracle {
  /** The last call of a handler of any kind: `'tick' for ConfigMap default/a`. */
  lastCall?: string;
  readonly failures = new FailureStreak();
  private readonly calls: HandlingCall[] = [];
  private readonly running = new Set<HandlingCall>();
  /** The calls whose outcome is not on the object yet. */
  private readonly unstored = new Set<HandlingCall>();
  private readonly overlaps = new Set<string>();
  /** The daemons and timers that are at work, by process, handler, and object. */
  private readonly background = new Set<string>();
  private readonly crashed = new Set<number>();
  /** The objects of frozen processes that others have taken over since: by process and object, who has. */
  private readonly takenOver = new Map<string, number>();
  /** The processes that have stood still, until they renew their claims. */
  private readonly frozen = new Set<number>();
  /** The processes that stand still now. */
  private readonly standing = new Set<number>();

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
    // What was ready to run at the moment of the freeze still runs.
    if (!this.standing.has(call.process)) this.running.add(call);
    this.unstored.add(call);
    this.calls.push(call);
  }

  /** Notes that a daemon or a timer is called, or that its call has ended: it must not be called twice at a time for one object. */
  onBackground({ process, id, uid, object }: BackgroundCall, isBegun: boolean): void {
    const key = `${process} ${id} ${uid}`;
    if (!isBegun) this.background.delete(key);
    else if (this.background.has(key)) this.overlaps.add(`'${id}' is called for ${object} while it is at work`);
    else this.background.add(key);
  }

  /** Tells whether a handler is at work for an object that was not yet being deleted as far as it was shown. */
  isAtWorkFor(uid: string): boolean {
    for (const call of this.running) if (call.uid === uid && !call.isDeleting) return true;
    return false;
  }

  /** Notes that a process has nothing to do about an object any more: it has stored what has come of the calls, if it could. */
  onCycleEnd(process: number, uid: string): void {
    for (const call of this.unstored) {
      if (call.process === process && call.uid === uid && call.outcome) this.unstored.delete(call);
    }
  }

  /** Follows a change of an object: a process that has stood still must leave alone what another one has taken over. */
  onWrite(process: number, { kind, metadata }: KubeObject): void {
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
    this.standing.add(process);
    this.forgetTakeovers(process);
    for (const call of this.running) {
      if (call.process === process) this.running.delete(call);
    }
  }

  /** Notes that a process that has stood still goes on. */
  onThaw(process: number): void {
    this.standing.delete(process);
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
    this.standing.delete(process);
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

  /** Tells whether a handler may have given up, as what it has wanted to store was rejected in its last attempt. */
  get hasGivenUp(): boolean {
    return this.calls.some(
      ({ isRejected, isFinal, retries, described }) =>
        isRejected && (isFinal || described.attempt >= (retries ?? Infinity)),
    );
  }

  /** Tells whether a handler may go on without a limit, as what it wants to store is rejected each time. */
  get isUnlimited(): boolean {
    return this.calls.some(({ isRejected, isFinal, retries }) => isRejected && !isFinal && retries === undefined);
  }

  /** Tells whether the last call of any handler for an object has failed. */
  get isFailing(): boolean {
    const last = new Map(this.calls.map((call) => [`${call.uid} ${call.id}`, call.outcome]));
    return [...last.values()].some((outcome) => outcome === 'failed' || outcome === 'retried');
  }

  get violations(): readonly Violation[] {
    const overlaps = [...this.overlaps].map((message) => ({ check: 'overlap' as const, message }));
    return [...overlaps, ...this.findRepetitions(), ...this.findMisplaced()];
  }

  /** Finds calls of one process that come more often than `retries` allow, or at another time than the attempt before has asked for. */
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

  /** Tells whether a call is a further attempt for the same change, by the same process, with nothing in between by which it begins anew. */
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
      if (call.isRejected && isFurtherAttempt(last, call)) continue;
      // Nor can one that cannot reach the API server for longer than it tries to.
      if (last.outages !== call.outages || last.outages % 2 === 1) continue;
      if (this.hasReturned(last, call)) continue;
      found.add(`'${call.id}' is called again for the same state of ${call.object}`);
    }
    return [...found].map((message) => ({ check: 'repetition' as const, message }));
  }

  /** Tells whether an object was in another state between two calls for the same one, also if no handler was called for the other. */
  private hasReturned(first: HandlingCall, second: HandlingCall): boolean {
    return this.changes.some(({ before, after }) => {
      const version = Number(after?.metadata.resourceVersion);
      if (!before || !after || after.metadata.uid !== second.uid) return false;
      if (!(version > first.version && version <= second.version)) return false;
      return essenceOf(after) === second.state && essenceOf(before) !== second.state;
    });
  }
}

/** Tells whether what a handler has wanted to store was rejected: that is a failure of it, or of the one whose sub-handler it is, which is repeated. */
function isFurtherAttempt(last: HandlingCall, call: HandlingCall): boolean {
  if (call.described.attempt > last.described.attempt) return true;
  return (call.parentAttempt ?? 0) > (last.parentAttempt ?? 0);
}
