import type { InspectionHistory } from '../inspected.services.js';
import type { OperatorEvent } from '../../event-log/operator.event.js';
import { isRoutine } from './event.log.js';
import type { KubeObject } from '../../../objects/kube-object.js';

/** The limits of the histories. */
export type HistoryLimits = Pick<InspectionHistory, 'perObject' | 'objects'>;

/** A call of a handler that has not ended. */
export interface RunningCall {
  /** In milliseconds since the epoch. */
  readonly since: number;
  /** The number of the attempt, from 1 on. */
  readonly attempt: number;
  /** Whether the events of the object wait until the call ends; timers run beside them. */
  readonly isBlocking: boolean;
}

/** The kinds of handlers that run beside the events of an object. */
const BACKGROUND_KINDS: readonly string[] = ['daemon', 'timer', 'log', 'child', 'reference'];

/** Whether the events of an object wait while a handler of this kind is called for it. */
export function isBlockingKind(kind: string | undefined): boolean {
  return kind === undefined || !BACKGROUND_KINDS.includes(kind);
}

/** The mean number of events of an object, by which the events of all objects together are limited, as few objects have many. */
const EVENTS_PER_OBJECT = 5;

/** The most objects whose last state is kept for the next difference. */
const MOST_BODIES = 500;

const NO_CALLS: ReadonlyMap<string, RunningCall> = new Map();

/** The bounded history of one object. */
class ObjectHistory {
  readonly events: OperatorEvent[] = [];
  changedAt?: number;
  /** The version of the object that was noted last, as several cycles can see the same one. */
  version?: string;
  traceparent?: string;
}

/** The recent events of the objects, by their uids. Objects without events for longest are forgotten first. */
export class ObjectHistories {
  private readonly histories = new Map<string, ObjectHistory>();
  private readonly running = new Map<string, Map<string, RunningCall>>();
  private readonly bodies = new Map<string, KubeObject>();
  /** The objects in the order of their last changes. */
  private readonly changed = new Set<string>();
  private lastChangeAt = 0;
  private events = 0;

  constructor(private readonly limits: HistoryLimits) {}

  eventsOf(uid: string): readonly OperatorEvent[] {
    return this.histories.get(uid)?.events ?? [];
  }

  changedAt(uid: string): number | undefined {
    return this.histories.get(uid)?.changedAt;
  }

  /** Returns the calls that have not ended, by the ids of their handlers. */
  runningOf(uid: string): ReadonlyMap<string, RunningCall> {
    return this.running.get(uid) ?? NO_CALLS;
  }

  /** The objects with a history, in the order of their last events. */
  get known(): Iterable<string> {
    return this.histories.keys();
  }

  /** The objects that have changed, the last one first. */
  newest(): Iterable<string> {
    return [...this.changed].reverse();
  }

  /** Returns the identity of the last attempt for tracers, as in W3C Trace Context. */
  traceparentOf(uid: string): string | undefined {
    return this.histories.get(uid)?.traceparent;
  }

  recordTrace(uid: string, traceparent: string): void {
    this.touch(uid).traceparent = traceparent;
  }

  add(uid: string, event: OperatorEvent): void {
    const { events } = this.touch(uid);
    events.push(event);
    this.events += 1;
    if (events.length <= this.limits.perObject) return;
    // Ticks of timers must not displace changes.
    const routine = events.filter(isRoutine).length;
    const oldest = routine > events.length / 2 ? events.findIndex(isRoutine) : 0;
    events.splice(oldest, 1);
    this.events -= 1;
  }

  /**
   * Records a state of the object.
   *
   * @returns whether it is a new one, and the state before, if it is kept.
   */
  recordState(uid: string, body: KubeObject, now: number): { readonly isNew: boolean; readonly previous?: KubeObject } {
    const history = this.touch(uid);
    const { resourceVersion } = body.metadata;
    const isNew = history.version === undefined || history.version !== resourceVersion;
    history.version = resourceVersion;
    if (!isNew) return { isNew };
    // The order of changes is that of their times, even if the clock is put back.
    this.lastChangeAt = Math.max(this.lastChangeAt, now);
    history.changedAt = this.lastChangeAt;
    this.changed.delete(uid);
    this.changed.add(uid);
    const previous = this.bodies.get(uid);
    this.bodies.delete(uid);
    this.bodies.set(uid, body);
    if (this.bodies.size > MOST_BODIES) this.bodies.delete(this.bodies.keys().next().value!);
    return { isNew, previous };
  }

  recordCall(uid: string, handler: string, call: RunningCall): void {
    const calls = this.running.get(uid);
    if (calls) calls.set(handler, call);
    else this.running.set(uid, new Map([[handler, call]]));
  }

  /** Records that a call has ended. */
  recordOutcome(uid: string, handler: string): void {
    const calls = this.running.get(uid);
    if (calls?.delete(handler) && calls.size === 0) this.running.delete(uid);
  }

  /** Forgets a deleted object, except for its events, which viewers can read for a while. */
  recordDeletion(uid: string): void {
    this.bodies.delete(uid);
    this.running.delete(uid);
  }

  clear(): void {
    this.histories.clear();
    this.running.clear();
    this.bodies.clear();
    this.changed.clear();
    this.lastChangeAt = 0;
    this.events = 0;
  }

  private touch(uid: string): ObjectHistory {
    const history = this.histories.get(uid) ?? new ObjectHistory();
    this.histories.delete(uid);
    this.histories.set(uid, history);
    const { objects } = this.limits;
    while (this.histories.size > 1 && (this.histories.size > objects || this.events > objects * EVENTS_PER_OBJECT)) {
      this.forgetOldest();
    }
    return history;
  }

  private forgetOldest(): void {
    const [uid, { events }] = this.histories.entries().next().value!;
    this.events -= events.length;
    this.histories.delete(uid);
    this.bodies.delete(uid);
    this.changed.delete(uid);
  }
}
