import type { Clock } from 'kube-common';
import type { OperatorEvent } from '../event-log/operator.event.js';
import type { ObjectIdentity } from '../inspection.types.js';
import type { InspectionObserver, InspectionTopic, ObjectAddress } from '../operator.inspection.js';
import { EventLog } from '../operator/history/event.log.js';
import { DEFAULT_HISTORY } from '../operator/inspected.services.js';
import { ObjectHistories } from '../operator/history/object.histories.js';
import { toObservedEvent, type ObservedEvent } from './observed.changes.js';
import { ObservedStatistics } from './observed.statistics.js';
import type { PostedOutcome } from './posted.outcome.js';

/** Milliseconds within which an outcome on an object, and the Kubernetes event about it, are about the same attempt. */
const SAME_ATTEMPT = 10_000;

/** The most outcomes that are kept for this comparison. */
const MOST_OUTCOMES = 1000;

/** The event log of what is seen of operators, and its bounded part about each object. */
export class ClusterHistory {
  readonly statistics = new ObservedStatistics();
  private readonly histories = new ObjectHistories(DEFAULT_HISTORY);
  private readonly listeners = new Set<InspectionObserver>();
  private readonly eventLog: EventLog;
  /** When outcomes were noted, by object, handler, and outcome. */
  private readonly outcomes = new Map<string, number>();

  constructor(private readonly clock: Clock) {
    this.eventLog = new EventLog(clock, (event) => this.listeners.forEach((listener) => listener.log(event)));
  }

  /** When the log has begun, in milliseconds since the epoch. */
  get beganAt(): number {
    return this.eventLog.beganAt;
  }

  /** The last events of the log, the oldest first. */
  get recentEvents(): readonly OperatorEvent[] {
    return this.eventLog.recent;
  }

  /** Returns the events of an object, the oldest first. */
  eventsOf(uid: string | undefined): readonly OperatorEvent[] {
    return uid === undefined ? [] : this.histories.eventsOf(uid);
  }

  /** Reports what happens to the observer, until the returned function is called. */
  subscribe(listener: InspectionObserver): () => void {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  }

  /** Whether there is any observer. */
  get isObserved(): boolean {
    return this.listeners.size > 0;
  }

  /** Notifies the observers that answers have changed. */
  notify(...topics: readonly InspectionTopic[]): void {
    for (const listener of this.listeners) for (const topic of topics) listener.changed(topic);
  }

  /** Writes what has happened to an object. */
  record(object: ObjectIdentity, events: readonly ObservedEvent[]): void {
    for (const event of events) {
      const { call } = event;
      if (call?.outcome && this.isKnown(object, call.id, call.outcome)) continue;
      if (call) this.statistics.record(call, object, this.clock.now());
      const { resource, kind, namespace, name } = object;
      const about = { resource, kind, ...(namespace !== undefined && { namespace }), name };
      const written = this.eventLog.write(() => ({ ...event, object: about }), event.call?.error !== undefined);
      if (written && object.uid !== undefined) this.histories.add(object.uid, written);
    }
    if (events.some(({ call }) => call)) this.notify('handlers');
  }

  /** Notifies the observers that something has happened to an object. */
  notifyObject(object: ObjectAddress): void {
    for (const listener of this.listeners) listener.changedObject(object);
  }

  /** Records the outcome of an attempt that a Kubernetes event reports, unless it is known from the object. */
  recordPosted(object: ObjectIdentity, posted: PostedOutcome, attempt: number): void {
    this.record(object, [toObservedEvent(posted, 'change', attempt)]);
  }

  private isKnown({ uid }: ObjectIdentity, handler: string, outcome: string): boolean {
    const key = JSON.stringify([uid, handler, outcome]);
    const now = this.clock.monotonic();
    const at = this.outcomes.get(key);
    const isKnown = at !== undefined && now - at < SAME_ATTEMPT;
    this.outcomes.delete(key);
    if (isKnown) return true;
    this.outcomes.set(key, now);
    if (this.outcomes.size > MOST_OUTCOMES) this.outcomes.delete(this.outcomes.keys().next().value!);
    return false;
  }
}
