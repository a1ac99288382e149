import { type Clock, parseTimestamp } from 'kube-common';
import { errorOfRecord } from '../../explanation/stored.state.js';
import type { ObjectBackground } from '../../../background/object.background.js';
import type { HandlerExecutor } from '../../../execution/handler.executor.js';
import type { ObjectMemory } from '../../../handling/object.memory.js';
import type { FailedHandling } from '../../../handling/progress.memory.js';
import type { OperatorLifecycle } from '../../../operator/operator.lifecycle.js';
import type { PendingCall } from '../../../execution/slow.handlers.js';
import type { ProgressRecord } from '../../../state/storages.js';
import type { WatcherSet } from '../../../watching/watcher.set.js';
import type { ObjectPhase, InspectedProgress } from '../../inspection.types.js';
import type { ActiveObjects } from '../history/active.objects.js';
import { findNextState, isOverdue, isTooLong, openStateOf } from '../../objects/due.attempts.js';
import { NOT_RETURNED_TEXT, OVERDUE_TEXT } from '../../objects/now.lists.js';
import { isBlockingKind, type ObjectHistories, type RunningCall } from '../history/object.histories.js';

/** The reason why no operator works on an object. */
export interface StuckReason {
  /** The handler that should have been called; absent if the framework has failed. */
  readonly handler?: string;
  readonly text: string;
  /** The number of events of the object that wait until a handler returns. */
  readonly events?: number;
}

/** The state of handling of one object that is not idle. */
export interface ObjectState {
  readonly phase: ObjectPhase;
  /** The reason why the object is stuck. */
  readonly stuck?: StuckReason;
  readonly progress: readonly InspectedProgress[];
}

/** A record as it was read, without the state that comes with time. */
interface ReadRecord {
  readonly state: 'begun' | 'succeeded' | 'failed';
  readonly dueAt?: number;
  readonly progress: Omit<InspectedProgress, 'state'>;
}

/** A state with the values from which it was computed: it is valid as long as they are the same. */
interface KeptState {
  readonly state: ObjectState | undefined;
  readonly records: readonly ProgressRecord[];
  readonly failed: FailedHandling | undefined;
  readonly background: ObjectBackground['failures'];
  readonly isPaused: boolean;
  /** When the state changes without any event, in milliseconds since the epoch. */
  readonly until: number;
}

/** The milliseconds for which states that were read are reused. */
const FRESHNESS = 200;

/** The states of handling of the objects that are not idle, by what the operator has of them in memory. */
export class ObjectStates {
  private states: ReadonlyMap<string, ObjectState> = new Map();
  private readAt = -Infinity;
  private kept: ReadonlyMap<string, KeptState> = new Map();
  /** The calls that have not returned when the states were read, by the uids of their objects. */
  private pending: ReadonlyMap<string, readonly PendingCall[]> = new Map();
  private readonly records = new WeakMap<ProgressRecord, ReadRecord>();

  constructor(
    private readonly lifecycle: OperatorLifecycle,
    private readonly watchers: WatcherSet,
    private readonly histories: ObjectHistories,
    private readonly active: ActiveObjects,
    private readonly executor: Pick<HandlerExecutor, 'pending'>,
    private readonly clock: Clock,
  ) {}

  /**
   * Returns the states by the uids of the objects; objects without one are idle. The map is the same one as before if no state has changed.
   */
  all(): ReadonlyMap<string, ObjectState> {
    const now = this.clock.monotonic();
    if (now - this.readAt >= FRESHNESS) {
      this.states = this.read();
      this.readAt = now;
    }
    return this.states;
  }

  /** Returns the present state of one object. */
  of(uid: string): ObjectState | undefined {
    this.pending = this.readPending();
    const isWorking = [...this.watchers.all].some(({ working }) => [...working].includes(uid));
    return this.stateOf(uid, this.lifecycle.engine?.inventory.find(uid), isWorking, this.clock.now());
  }

  /** Discards the states, so that they are read again when they are needed. */
  invalidate(): void {
    this.readAt = -Infinity;
  }

  private read(): ReadonlyMap<string, ObjectState> {
    const states = new Map<string, ObjectState>();
    this.pending = this.readPending();
    const working = new Set([...this.watchers.all].flatMap((watcher) => [...watcher.working]));
    const inventory = this.lifecycle.engine?.inventory;
    const active = new Set([...this.active.list(inventory), ...working]);
    const now = this.clock.now();
    const kept = new Map<string, KeptState>();
    let isSame = true;
    for (const uid of active) {
      const state = this.recall(uid, inventory?.find(uid), working.has(uid), now, kept);
      if (!state) continue;
      states.set(uid, state);
      isSame &&= this.states.get(uid) === state;
    }
    this.kept = kept;
    return isSame && states.size === this.states.size ? this.states : states;
  }

  /** Reuses the last state of an object if nothing has happened to it, as few of very many waiting objects change at a time. */
  private recall(
    uid: string,
    memory: ObjectMemory | undefined,
    isWorking: boolean,
    now: number,
    kept: Map<string, KeptState>,
  ): ObjectState | undefined {
    const isTroubled = memory?.throttler?.isActive === true || (memory?.rejections.size ?? 0) > 0;
    if (isWorking || this.findRunning(uid, now).size > 0 || isTroubled) {
      return this.stateOf(uid, memory, isWorking, now);
    }
    const records = [...(memory?.knownProgress?.values() ?? [])];
    const failed = memory?.failedHandling;
    const background = memory?.background?.failures;
    const isPaused = this.lifecycle.pauseStatus.reasons.length > 0;
    let known = this.kept.get(uid);
    const isSame = known?.isPaused === isPaused && known.background === background && isReadOff(known, records, failed);
    if (!known || !isSame || now >= known.until) {
      const state = this.stateOf(uid, memory, false, now);
      const times = (state?.progress ?? []).filter(isOpen).map(({ dueAt }) => findNextState(dueAt, now));
      known = { state, records, failed, background, isPaused, until: Math.min(Infinity, ...times) };
    }
    kept.set(uid, known);
    return known.state;
  }

  /** The calls that have not ended: those that the history has seen, and those that the operator itself registers. */
  private findRunning(uid: string, now: number): ReadonlyMap<string, RunningCall> {
    const running = this.histories.runningOf(uid);
    const known = this.pending.get(uid);
    if (!known) return running;
    const found = new Map(running);
    const toWallClock = now - this.clock.monotonic();
    for (const { handler, attempt, since } of known) {
      if (found.has(handler.id)) continue;
      found.set(handler.id, { since: since + toWallClock, attempt, isBlocking: isBlockingKind(handler.kind) });
    }
    return found;
  }

  /** Reads the calls that the operator has registered, by the uids of their objects. */
  private readPending(): ReadonlyMap<string, readonly PendingCall[]> {
    const found = new Map<string, PendingCall[]>();
    for (const call of this.executor.pending) {
      const { uid } = call;
      if (uid === undefined) continue;
      const others = found.get(uid);
      if (others) others.push(call);
      else found.set(uid, [call]);
    }
    return found;
  }

  private countWaiting(uid: string): { readonly events: number } {
    let events = 0;
    for (const watcher of this.watchers.all) events += watcher.countWaiting(uid);
    return { events };
  }

  /** Reads the progress of a record. Each record is read once, as records are replaced and never changed. */
  private progressOf(handler: string, record: ProgressRecord, now: number): InspectedProgress {
    let read = this.records.get(record);
    if (read?.progress.handler !== handler) this.records.set(record, (read = readRecord(handler, record)));
    const { state, dueAt, progress } = read!;
    return { ...progress, state: state === 'begun' ? openStateOf(dueAt, now) : state };
  }

  /** Finds an overdue attempt; there is none while the operator pauses. */
  private findOverdue(progress: readonly InspectedProgress[], now: number): StuckReason | undefined {
    if (this.lifecycle.pauseStatus.reasons.length > 0) return undefined;
    const overdue = progress.find((each) => isOpen(each) && isOverdue(each.dueAt, now));
    return overdue && { handler: overdue.handler, text: OVERDUE_TEXT };
  }

  /** Reads the daemons and timers whose last call has failed. */
  private readBackground(background: ObjectBackground | undefined, now: number): readonly InspectedProgress[] {
    if (!background?.failures) return [];
    const { failures, runs, foreverStopped } = background;
    const toWallClock = now - this.clock.monotonic();
    return [...failures].map(([id, { kind, record }]): InspectedProgress => {
      const run = runs.get(id);
      const progress = { ...this.progressOf(id, record, now), background: kind };
      if (foreverStopped?.has(id) || !run) return progress;
      // A timer is called again after a permanent failure, too.
      const dueAt = run.due > 0 ? run.due + toWallClock : progress.dueAt;
      return { ...progress, state: openStateOf(dueAt, now), dueAt, failedAt: undefined };
    });
  }

  private stateOf(
    uid: string,
    memory: ObjectMemory | undefined,
    isWorking: boolean,
    now: number,
  ): ObjectState | undefined {
    const running = this.findRunning(uid, now);
    const stored = [...(memory?.knownProgress ?? [])].map(([id, record]) => this.progressOf(id, record, now));
    const progress = stored.map((each): InspectedProgress => {
      const call = running.get(each.handler);
      return call ? { ...each, state: 'running', startedAt: call.since, dueAt: undefined } : each;
    });
    for (const [handler, { since, attempt }] of running) {
      if (progress.some((each) => each.handler === handler)) continue;
      progress.push({ handler, state: 'running', attempts: attempt - 1, startedAt: since });
    }
    for (const [handler, record] of memory?.failedHandling?.records ?? []) {
      if (!progress.some((each) => each.handler === handler)) progress.push(this.progressOf(handler, record, now));
    }
    progress.push(...this.readBackground(memory?.background, now));
    const isThrottled = memory?.throttler?.isActive === true;
    const hanging = [...running].find(([, { since, isBlocking }]) => isBlocking && isTooLong(since, now));
    if (hanging) {
      const waiting = this.countWaiting(uid);
      return { phase: 'stuck', progress, stuck: { handler: hanging[0], text: NOT_RETURNED_TEXT, ...waiting } };
    }
    if (isWorking || running.size > 0) return { phase: 'inWork', progress };
    const refused = memory && memory.rejections.size > 0 ? REFUSED : undefined;
    const stuck = isThrottled ? THROTTLED : (refused ?? this.findOverdue(progress, now));
    const phase = stuck ? 'stuck' : phaseOf(progress);
    return phase === 'idle' ? undefined : { phase, progress, stuck };
  }
}

/** The reason for which the operator leaves an object alone after an error of the framework. */
export const THROTTLED: StuckReason = {
  text: 'The operator leaves the object alone for a while after an unexpected error of the framework itself, which is in its log.',
};

const REFUSED: StuckReason = {
  text: 'The API server refuses to store what the operator itself changes of the object, which its log and an event of the object tell of.',
};

function isReadOff(
  { records, failed }: KeptState,
  present: readonly ProgressRecord[],
  presentFailed: FailedHandling | undefined,
): boolean {
  return (
    failed === presentFailed &&
    records.length === present.length &&
    records.every((record, index) => record === present[index])
  );
}

/** Returns the phase of an object that is not in work, by the progress of its handlers. */
export function phaseOf(progress: readonly InspectedProgress[]): ObjectPhase {
  const open = progress.filter(isOpen);
  if (open.some(({ error }) => error !== undefined)) return 'failing';
  if (open.length > 0) return 'waiting';
  return progress.some(({ state }) => state === 'failed') ? 'failed' : 'idle';
}

function isOpen({ state }: InspectedProgress): boolean {
  return state !== 'succeeded' && state !== 'failed';
}

/** Reads the parts of a record that do not depend on the time. */
function readRecord(handler: string, record: ProgressRecord): ReadRecord {
  const { success, failure, purpose, retries } = record;
  const error = errorOfRecord(record);
  const [startedAt, dueAt] = [parseTimestamp(record.started), parseTimestamp(record.delayed)];
  const failedAt = failure === true ? parseTimestamp(record.stopped) : undefined;
  const isDone = success === true || failure === true;
  const ended = success === true ? 'succeeded' : failure === true ? 'failed' : undefined;
  return {
    state: ended ?? 'begun',
    dueAt,
    progress: {
      handler,
      attempts: retries ?? 0,
      ...(purpose && { purpose }),
      ...(startedAt !== undefined && { startedAt }),
      ...(!isDone && dueAt !== undefined && { dueAt }),
      ...(failedAt !== undefined && { failedAt }),
      ...(error !== undefined && { error }),
    },
  };
}
