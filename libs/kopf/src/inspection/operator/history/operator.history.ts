import { type Clock, errorText } from 'kube-common';
import {
  KOPF_CHANNELS,
  type CycleMessage,
  type HandlerMessage,
  type OperatorIdentity,
  type PatchMessage,
  type RequestMessage,
  type ReviewMessage,
  type WatchMessage,
} from '../../../diagnostics/channels.js';
import { OperatorSubscriptions } from '../../../diagnostics/operator.subscriptions.js';
import { findDifferences } from '../../event-log/field.differences.js';
import type { OperatorEvent, OperatorEventActor, OperatorEventCall } from '../../event-log/operator.event.js';
import { isFailed, outcomeLabel, type OutcomeLabel } from '../../../execution/outcome.labels.js';
import type { ObjectDiff } from '../../../objects/diffs.js';
import type { KubeObject } from '../../../objects/kube-object.js';
import type { OperatorLifecycle } from '../../../operator/operator.lifecycle.js';
import type { HandlerRegistry } from '../../../registry/handler.registry.js';
import type { WatcherSet } from '../../../watching/watcher.set.js';
import { qualifiedName, type Resource } from '../../../resources/resources.js';
import type { ObjectIdentity } from '../../inspection.types.js';
import type { InspectionObserver, InspectionTopic } from '../../operator.inspection.js';
import { ActiveObjects } from './active.objects.js';
import { EventLog } from './event.log.js';
import {
  cutValues,
  describeDelay,
  nameObject,
  describePatch,
  describeReviewError,
  referenceOfMessage,
  toEventObject,
} from './event.texts.js';
import { HandlerStatistics } from './handler.statistics.js';
import { isBlockingKind, ObjectHistories, type HistoryLimits } from './object.histories.js';
import type { OperatorConcealment } from '../operator.concealment.js';
import { PermissionUse } from './permission.use.js';
import { ReviewStatistics } from './review.statistics.js';
import { WatchStatistics } from './watch.statistics.js';

/** The outcomes of attempts in which the handler has done its work. */
const NOT_FAILED: ReadonlySet<OutcomeLabel> = new Set<OutcomeLabel>(['succeeded', 'ignored', 'rejected']);

/** The dependencies of a history. */
export interface HistoryDependencies {
  readonly operator: OperatorIdentity;
  readonly lifecycle: OperatorLifecycle;
  readonly registry: HandlerRegistry;
  readonly watchers: WatcherSet;
  readonly concealment: OperatorConcealment;
  /** Finds an object that is watched by its uid. */
  readonly find: (uid: string) => ObjectIdentity | undefined;
  readonly clock: Clock;
}

/**
 * The history of an operator as long as it has viewers: the event log, and the counts of objects, handlers, webhooks, and watches that the
 * operator itself does not keep. Without viewers, it subscribes to nothing and keeps nothing.
 */
export class OperatorHistory {
  readonly objects: ObjectHistories;
  readonly active = new ActiveObjects();
  readonly handlers: HandlerStatistics;
  readonly reviews: ReviewStatistics;
  readonly watches = new WatchStatistics();
  readonly permissions = new PermissionUse();
  private readonly eventLog: EventLog;
  private readonly actor: OperatorEventActor;
  private subscriptions?: OperatorSubscriptions;
  private changes = 0;

  constructor(
    private readonly dependencies: HistoryDependencies,
    limits: HistoryLimits,
    private readonly observer: InspectionObserver,
  ) {
    const { clock, operator, registry } = dependencies;
    this.handlers = new HandlerStatistics(() => registry.describe());
    this.reviews = new ReviewStatistics(() => registry.allAdmission().map(({ id }) => id));
    this.objects = new ObjectHistories(limits);
    this.eventLog = new EventLog(clock, (event) => this.observer.log(event));
    this.actor = { kind: 'operator', name: operator.name === 'default' ? 'operator' : operator.name };
  }

  /** When the log has begun, in milliseconds since the epoch. */
  get beganAt(): number {
    return this.eventLog.beganAt;
  }

  /** Whether it is being kept. */
  get isKept(): boolean {
    return this.subscriptions !== undefined;
  }

  /** The last events of the log, the oldest first. */
  get recentEvents(): readonly OperatorEvent[] {
    return this.eventLog.recent;
  }

  /** Subscribes to the operator's channels; does nothing if it has already. */
  start(): void {
    if (this.subscriptions) return;
    const { operator, lifecycle, watchers } = this.dependencies;
    this.eventLog.restart();
    this.active.start();
    this.changes = 0;
    const subscriptions = new OperatorSubscriptions(operator);
    this.subscriptions = subscriptions;
    subscriptions.subscribe(KOPF_CHANNELS.handlerStart, (message) => this.recordCall(message));
    subscriptions.subscribe(KOPF_CHANNELS.handlerEnd, (message) => this.recordOutcome(message));
    subscriptions.subscribe(KOPF_CHANNELS.cycleStart, (message) => this.recordCycle(message));
    subscriptions.subscribe(KOPF_CHANNELS.cycleEnd, (message) => this.recordCycleEnd(message));
    subscriptions.subscribe(KOPF_CHANNELS.patchEnd, (message) => this.recordPatch(message));
    subscriptions.subscribe(KOPF_CHANNELS.requestEnd, (message) => this.recordRequest(message));
    subscriptions.subscribe(KOPF_CHANNELS.reviewEnd, (message) => this.recordReview(message));
    subscriptions.subscribe(KOPF_CHANNELS.watch, (message) => this.recordWatch(message));
    subscriptions.subscribe(KOPF_CHANNELS.queueTake, (message) => this.watches.recordWait(message));
    // Waits are measured only if the channel of what comes into the queues has a subscriber, too.
    subscriptions.subscribe(KOPF_CHANNELS.queueAdd, () => undefined);
    let isFirst = true;
    subscriptions.observe(lifecycle.state$, (state) => {
      if (!isFirst) this.log(`The operator is ${state}`);
      isFirst = false;
      this.notify('overview', 'now', 'objects', 'coordination', 'watches');
      this.observer.changedObject();
    });
    subscriptions.observe(watchers.unserved$, () => this.notify('overview'));
    subscriptions.observe(lifecycle.pauseStatus$, () => this.notify('overview', 'coordination'));
  }

  /** Ends the subscriptions, and forgets everything. */
  stop(): void {
    this.subscriptions?.close();
    this.subscriptions = undefined;
    const { objects, active, handlers, reviews, watches, permissions, eventLog } = this;
    for (const part of [objects, active, handlers, reviews, watches, permissions, eventLog]) part.clear();
  }

  /** Writes the action of a viewer into the log. */
  recordAction(text: string, user: string, object: ObjectIdentity | undefined): void {
    if (!this.subscriptions) return;
    const actor = { kind: 'user', name: user } as const;
    const about = object && { object: toEventObject(object) };
    const event = this.eventLog.write(() => ({ type: 'operation', actor, text, ...about }), true);
    if (event && object?.uid !== undefined) this.objects.add(object.uid, event);
  }

  private recordCall(message: HandlerMessage): void {
    const { handler, body, retry, startedAt } = message;
    const uid = body?.metadata.uid;
    this.handlers.recordStart(message);
    if (uid !== undefined && isWork(handler)) {
      this.objects.recordCall(uid, handler.id, {
        since: startedAt,
        attempt: retry + 1,
        isBlocking: isBlockingKind(handler.kind),
      });
    }
    this.notify('now', 'handlers', 'objects');
    this.notifyObject(message.resource, body);
    this.write(uid, () => {
      const object = referenceOfMessage(message.resource, body);
      const attempt = retry === 0 ? '' : `, attempt ${retry + 1}`;
      return {
        type: 'call',
        text: `${handler.id} is called${object ? ` for ${nameObject(object)}` : ''}${attempt}`,
        ...(object && { object: toEventObject(object) }),
        call: this.callOf(message),
      };
    });
  }

  private recordOutcome(message: HandlerMessage): void {
    const { handler, resource, body, outcome = { final: true } } = message;
    const uid = body?.metadata.uid;
    const label = outcomeLabel(outcome);
    const ended = label === 'failed' ? 'failed' : NOT_FAILED.has(label) ? 'succeeded' : 'retried';
    const failure = isFailed(outcome) ? errorText(outcome.error) : undefined;
    const error = this.dependencies.concealment.error(resource, failure);
    const object = referenceOfMessage(resource, body);
    const now = this.dependencies.clock.now();
    this.handlers.recordEnd(message, ended, now, error, object);
    if (uid !== undefined) {
      if (message.traceparent !== undefined) this.objects.recordTrace(uid, message.traceparent);
      this.objects.recordOutcome(uid, handler.id);
      if (!isBlockingKind(handler.kind)) this.active.record(uid);
    }
    this.notify('now', 'handlers', 'objects');
    this.notifyObject(resource, body);
    const describe = (): DescribedEvent => {
      const how = ended === 'retried' ? `will be retried${describeDelay(outcome.delay)}` : `has ${ended}`;
      return {
        type: 'outcome',
        text: `${handler.id} ${how}${object ? ` for ${nameObject(object)}` : ''}${error === undefined ? '' : `: ${error}`}`,
        ...(object && { object: toEventObject(object) }),
        call: { ...this.callOf(message), outcome: ended, ...(error !== undefined && { error }) },
      };
    };
    this.write(uid, describe, error !== undefined);
  }

  private recordCycle({ resource, body, type }: CycleMessage): void {
    const { uid } = body.metadata;
    if (uid === undefined) return;
    const { clock, concealment } = this.dependencies;
    const { isNew, previous } = this.objects.recordState(uid, body, clock.now());
    if (type === null) return;
    if (type === 'DELETED') this.objects.recordDeletion(uid);
    else if (!isNew) return;
    this.notify('objects', 'overview', 'now');
    this.notifyObject(resource, body);
    const object = referenceOfMessage(resource, body)!;
    const redact = (items: ObjectDiff): ObjectDiff => concealment.redactor.diff(resource, items) as ObjectDiff;
    const isComparable = type === 'ADDED' || (type === 'MODIFIED' && previous !== undefined);
    const done = type === 'ADDED' ? 'added' : type === 'DELETED' ? 'deleted' : 'modified';
    this.write(uid, () => {
      const fields = isComparable ? findDifferences(previous, body, redact).map(cutValues) : [];
      this.changes += 1;
      return {
        type: 'change',
        actor: { kind: 'cluster', name: 'cluster' },
        text: `${nameObject(object)} was ${done}`,
        object: toEventObject(object),
        change: { number: this.changes, type: done, resource: object.resource, fields, hiddenFrom: [] },
      };
    });
  }

  private recordCycleEnd({ resource, body, result, error }: CycleMessage): void {
    if (body.metadata.uid !== undefined) this.active.record(body.metadata.uid);
    this.notify('now', 'objects', 'memory');
    this.notifyObject(resource, body);
    if (result !== 'failed') return;
    const object = referenceOfMessage(resource, body)!;
    const shown = this.dependencies.concealment.error(resource, errorText(error));
    const text = `The processing of ${nameObject(object)} has failed: ${shown}`;
    this.write(body.metadata.uid, () => ({ text, object: toEventObject(object) }), true);
  }

  private recordPatch({ resource, body, outcome }: PatchMessage): void {
    const describe = (): DescribedEvent => {
      const object = referenceOfMessage(resource, body)!;
      return { text: describePatch(object, outcome), object: toEventObject(object) };
    };
    this.write(body.metadata.uid, describe, outcome === 'rejected' || outcome === 'failed');
  }

  private recordRequest({ method, path, status }: RequestMessage): void {
    if (status !== undefined) this.permissions.record(method, path, status);
  }

  private recordReview(message: ReviewMessage): void {
    const { webhook, allowed, duration = 0 } = message;
    this.reviews.record(message, describeReviewError(message.error));
    this.notify('webhooks');
    const result = allowed === undefined ? 'without an answer' : allowed ? 'allowed' : 'refused';
    const name = message.kind === 'conversion' ? 'conversion' : (webhook ?? 'all handlers').slice(0, 100);
    this.log(`A review of ${name}: ${result}, in ${Math.round(duration * 1000)} ms`, allowed === undefined);
  }

  private recordWatch(message: WatchMessage): void {
    const { resource, namespace, what, error } = message;
    this.watches.record(message);
    this.notify('watches');
    if (what === 'bookmark') return;
    const where = namespace === undefined ? '' : ` in ${namespace}`;
    const how = what === 'restart' ? 'connects again' : 'was interrupted';
    const text = `The watch of ${qualifiedName(resource)}${where} ${how}${error ? `: ${errorText(error)}` : ''}`;
    this.log(text, error !== undefined);
  }

  private log(text: string, isError = false): void {
    this.write(undefined, () => ({ text }), isError);
  }

  private write(uid: string | undefined, describe: () => DescribedEvent, isError = false): void {
    const marked = isError ? { isError } : {};
    const event = this.eventLog.write(() => ({ type: 'note', actor: this.actor, ...describe(), ...marked }), isError);
    if (event && uid !== undefined) this.objects.add(uid, event);
  }

  private callOf({ handler, reason, retry }: HandlerMessage): OperatorEventCall {
    return { id: handler.id, reason: reason ?? handler.kind ?? 'event', attempt: retry + 1 };
  }

  private notify(...topics: readonly InspectionTopic[]): void {
    for (const topic of topics) this.observer.changed(topic);
  }

  /** Notifies the observers of an object, and of its owners, whose screens show it, too. */
  private notifyObject(resource: Resource | undefined, body: KubeObject | undefined): void {
    const object = referenceOfMessage(resource, body);
    if (!object) return;
    this.observer.changedObject(object);
    for (const { uid } of body?.metadata.ownerReferences ?? []) {
      const owner = this.dependencies.find(uid);
      if (owner) this.observer.changedObject(owner);
    }
  }
}

/** An event as far as it is not a note of the operator. */
type DescribedEvent = Partial<OperatorEvent> & Pick<OperatorEvent, 'text'>;

/** Whether a call is work that ends. Daemons and handlers of logs run as long as their object exists. */
function isWork({ kind }: HandlerMessage['handler']): boolean {
  return kind !== 'daemon' && kind !== 'log';
}
