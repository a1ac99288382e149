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
import { OperatorFollowers } from '../../../diagnostics/operator.subscriptions.js';
import { findDifferences } from '../../event-log/field.differences.js';
import type { OperatorEvent, OperatorEventActor, OperatorEventCall } from '../../event-log/operator.event.js';
import { isFailed, outcomeLabel, type OutcomeLabel } from '../../../execution/outcome.labels.js';
import type { Diff } from '../../../objects/diffs.js';
import type { KubeObject } from '../../../objects/kube-object.js';
import type { OperatorLifecycle } from '../../../operator/operator.lifecycle.js';
import type { HandlerRegistry } from '../../../registry/handler.registry.js';
import type { WatcherSet } from '../../../watching/watcher.set.js';
import { qualifiedName, type Resource } from '../../../resources/resources.js';
import type { ObjectIdentity } from '../../inspection.types.js';
import type { InspectionObserver, InspectionTopic } from '../../operator.inspection.js';
import { ActiveObjects } from './active.objects.js';
import { EventRecorder } from './event.log.js';
import {
  cutValues,
  describeDelay,
  describeObject,
  describePatch,
  describeReviewError,
  referenceOf,
  toEventObject,
} from './event.texts.js';
import { HandlerStatistics } from './handler.statistics.js';
import { ObjectHistories, type HistoryLimits } from './object.histories.js';
import type { OperatorConcealment } from '../operator.concealment.js';
import { PermissionUse } from './permission.use.js';
import { ReviewStatistics } from './review.statistics.js';
import { WatchStatistics } from './watch.statistics.js';

/** The outcomes of attempts in which the handler has done its work. */
const NOT_FAILED: ReadonlySet<OutcomeLabel> = new Set<OutcomeLabel>(['succeeded', 'ignored', 'rejected']);

/** The dependencies of a history. */
export interface HistorySources {
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
 * The history of an operator as long as it has viewers: the event log, and what the operator itself does not keep of objects, handlers,
 * webhooks, and watches. Without viewers, it subscribes to nothing and keeps nothing.
 */
export class OperatorHistory {
  readonly objects: ObjectHistories;
  readonly active = new ActiveObjects();
  readonly handlers: HandlerStatistics;
  readonly reviews: ReviewStatistics;
  readonly watches = new WatchStatistics();
  readonly permissions = new PermissionUse();
  private readonly recorder: EventRecorder;
  private readonly actor: OperatorEventActor;
  private followers?: OperatorFollowers;
  private changes = 0;

  constructor(
    private readonly sources: HistorySources,
    limits: HistoryLimits,
    private readonly listener: InspectionObserver,
  ) {
    const { clock, operator, registry } = sources;
    this.handlers = new HandlerStatistics(() => registry.describe());
    this.reviews = new ReviewStatistics(() => registry.allAdmission().map(({ id }) => id));
    this.objects = new ObjectHistories(limits);
    this.recorder = new EventRecorder(clock, (event) => this.listener.log(event));
    this.actor = { kind: 'operator', name: operator.name === 'default' ? 'operator' : operator.name };
  }

  /** When the log has begun, in milliseconds since the epoch. */
  get beganAt(): number {
    return this.recorder.beganAt;
  }

  /** The last events of the log, the oldest first. */
  get recentEvents(): readonly OperatorEvent[] {
    return this.recorder.recent;
  }

  /** Begins to follow; does nothing if it follows already. */
  start(): void {
    if (this.followers) return;
    const { operator, lifecycle, watchers } = this.sources;
    this.recorder.restart();
    this.active.start();
    this.changes = 0;
    const followers = new OperatorFollowers(operator);
    this.followers = followers;
    followers.follow(KOPF_CHANNELS.handlerStart, (message) => this.noteCall(message));
    followers.follow(KOPF_CHANNELS.handlerEnd, (message) => this.noteOutcome(message));
    followers.follow(KOPF_CHANNELS.cycleStart, (message) => this.noteCycle(message));
    followers.follow(KOPF_CHANNELS.cycleEnd, (message) => this.noteCycleEnd(message));
    followers.follow(KOPF_CHANNELS.patchEnd, (message) => this.notePatch(message));
    followers.follow(KOPF_CHANNELS.requestEnd, (message) => this.noteRequest(message));
    followers.follow(KOPF_CHANNELS.reviewEnd, (message) => this.noteReview(message));
    followers.follow(KOPF_CHANNELS.watch, (message) => this.noteWatch(message));
    followers.follow(KOPF_CHANNELS.queueTake, (message) => this.watches.noteWait(message));
    // Waits are measured only if the channel of what comes into the queues has a subscriber, too.
    followers.follow(KOPF_CHANNELS.queueAdd, () => undefined);
    let isFirst = true;
    followers.observe(lifecycle.state$, (state) => {
      if (!isFirst) this.note(`The operator is ${state}`);
      isFirst = false;
      this.tell('overview', 'now', 'objects', 'coordination', 'watches');
      this.listener.changedObject();
    });
    followers.observe(watchers.unserved$, () => this.tell('overview'));
    followers.observe(lifecycle.pauseStatus$, () => this.tell('overview', 'coordination'));
  }

  /** Ends following, and forgets everything. */
  stop(): void {
    this.followers?.close();
    this.followers = undefined;
    const { objects, active, handlers, reviews, watches, permissions, recorder } = this;
    for (const part of [objects, active, handlers, reviews, watches, permissions, recorder]) part.clear();
  }

  /** Writes the action of a viewer into the log. */
  noteAction(text: string, user: string, object: ObjectIdentity | undefined): void {
    if (!this.followers) return;
    const actor = { kind: 'user', name: user } as const;
    const about = object && { object: toEventObject(object) };
    const event = this.recorder.write(() => ({ type: 'operation', actor, text, ...about }), true);
    if (event && object?.uid !== undefined) this.objects.add(object.uid, event);
  }

  private noteCall(message: HandlerMessage): void {
    const { handler, body, retry, startedAt } = message;
    const uid = body?.metadata.uid;
    this.handlers.noteStart(message);
    if (uid !== undefined && isWork(handler)) {
      this.objects.noteCall(uid, handler.id, { since: startedAt, attempt: retry + 1 });
    }
    this.tell('now', 'handlers', 'objects');
    this.tellObject(message.resource, body);
    this.write(uid, () => {
      const object = referenceOf(message.resource, body);
      const attempt = retry === 0 ? '' : `, attempt ${retry + 1}`;
      return {
        type: 'call',
        text: `${handler.id} is called${object ? ` for ${describeObject(object)}` : ''}${attempt}`,
        ...(object && { object: toEventObject(object) }),
        call: this.callOf(message),
      };
    });
  }

  private noteOutcome(message: HandlerMessage): void {
    const { handler, resource, body, retry, reason, outcome = { final: true } } = message;
    const uid = body?.metadata.uid;
    const label = outcomeLabel(outcome);
    const ended = label === 'failed' ? 'failed' : NOT_FAILED.has(label) ? 'succeeded' : 'retried';
    const failure = isFailed(outcome) ? errorText(outcome.error) : undefined;
    const error = this.sources.concealment.error(resource, failure);
    const object = referenceOf(resource, body);
    const now = this.sources.clock.now();
    this.handlers.noteEnd(message, ended, now, error, object);
    if (uid !== undefined) {
      const failed = { handler: handler.id, state: 'failed' as const, attempts: retry + 1, purpose: reason, error };
      if (message.traceparent !== undefined) this.objects.noteTrace(uid, message.traceparent);
      // An event or a call of a timer that fails leaves nothing undone.
      this.objects.noteOutcome(uid, handler.id, ended === 'failed' && reason !== undefined ? failed : undefined);
    }
    this.tell('now', 'handlers', 'objects');
    this.tellObject(resource, body);
    const describe = (): DescribedEvent => {
      const how = ended === 'retried' ? `will be retried${describeDelay(outcome.delay)}` : `has ${ended}`;
      return {
        type: 'outcome',
        text: `${handler.id} ${how}${object ? ` for ${describeObject(object)}` : ''}${error === undefined ? '' : `: ${error}`}`,
        ...(object && { object: toEventObject(object) }),
        call: { ...this.callOf(message), outcome: ended, ...(error !== undefined && { error }) },
      };
    };
    this.write(uid, describe, error !== undefined);
  }

  private noteCycle({ resource, body, type }: CycleMessage): void {
    const { uid } = body.metadata;
    if (uid === undefined) return;
    const { clock, concealment } = this.sources;
    const { isNew, previous } = this.objects.noteState(uid, body, clock.now());
    if (type === null) return;
    if (type === 'DELETED') this.objects.noteDeletion(uid);
    else if (!isNew) return;
    this.tell('objects', 'overview', 'now');
    this.tellObject(resource, body);
    const object = referenceOf(resource, body)!;
    const redact = (items: Diff): Diff => concealment.redactor.diff(resource, items) as Diff;
    const isComparable = type === 'ADDED' || (type === 'MODIFIED' && previous !== undefined);
    const done = type === 'ADDED' ? 'added' : type === 'DELETED' ? 'deleted' : 'modified';
    this.write(uid, () => {
      const fields = isComparable ? findDifferences(previous, body, redact).map(cutValues) : [];
      this.changes += 1;
      return {
        type: 'change',
        actor: { kind: 'cluster', name: 'cluster' },
        text: `${describeObject(object)} was ${done}`,
        object: toEventObject(object),
        change: { number: this.changes, type: done, resource: object.resource, fields, hiddenFrom: [] },
      };
    });
  }

  private noteCycleEnd({ resource, body, result, error }: CycleMessage): void {
    if (body.metadata.uid !== undefined) this.active.note(body.metadata.uid);
    this.tell('now', 'objects', 'memory');
    this.tellObject(resource, body);
    if (result !== 'failed') return;
    const object = referenceOf(resource, body)!;
    const shown = this.sources.concealment.error(resource, errorText(error));
    const text = `The processing of ${describeObject(object)} has failed: ${shown}`;
    this.write(body.metadata.uid, () => ({ text, object: toEventObject(object) }), true);
  }

  private notePatch({ resource, body, outcome }: PatchMessage): void {
    const describe = (): DescribedEvent => {
      const object = referenceOf(resource, body)!;
      return { text: describePatch(object, outcome), object: toEventObject(object) };
    };
    this.write(body.metadata.uid, describe, outcome === 'rejected' || outcome === 'failed');
  }

  private noteRequest({ method, path, status }: RequestMessage): void {
    if (status !== undefined) this.permissions.note(method, path, status);
  }

  private noteReview(message: ReviewMessage): void {
    const { webhook, allowed, duration = 0 } = message;
    this.reviews.note(message, describeReviewError(message.error));
    this.tell('webhooks');
    const result = allowed === undefined ? 'without an answer' : allowed ? 'allowed' : 'refused';
    const name = message.kind === 'conversion' ? 'conversion' : (webhook ?? 'all handlers').slice(0, 100);
    this.note(`A review of ${name}: ${result}, in ${Math.round(duration * 1000)} ms`);
  }

  private noteWatch(message: WatchMessage): void {
    const { resource, namespace, what, error } = message;
    this.watches.note(message);
    this.tell('watches');
    if (what === 'bookmark') return;
    const where = namespace === undefined ? '' : ` in ${namespace}`;
    const how = what === 'restart' ? 'connects again' : 'was interrupted';
    this.note(`The watch of ${qualifiedName(resource)}${where} ${how}${error ? `: ${errorText(error)}` : ''}`);
  }

  private note(text: string): void {
    this.write(undefined, () => ({ text }));
  }

  private write(uid: string | undefined, describe: () => DescribedEvent, isError = false): void {
    const event = this.recorder.write(() => ({ type: 'note', actor: this.actor, ...describe() }), isError);
    if (event && uid !== undefined) this.objects.add(uid, event);
  }

  private callOf({ handler, reason, retry }: HandlerMessage): OperatorEventCall {
    return { id: handler.id, reason: reason ?? handler.kind ?? 'event', attempt: retry + 1 };
  }

  private tell(...topics: readonly InspectionTopic[]): void {
    for (const topic of topics) this.listener.changed(topic);
  }

  /** Notifies the observers of an object, and of its owners, whose screens show it, too. */
  private tellObject(resource: Resource | undefined, body: KubeObject | undefined): void {
    const object = referenceOf(resource, body);
    if (!object) return;
    this.listener.changedObject(object);
    for (const { uid } of body?.metadata.ownerReferences ?? []) {
      const owner = this.sources.find(uid);
      if (owner) this.listener.changedObject(owner);
    }
  }
}

/** An event as far as it is not a note of the operator. */
type DescribedEvent = Partial<OperatorEvent> & Pick<OperatorEvent, 'text'>;

/** Daemons, and handlers of logs, are called as long as their object exists. */
function isWork({ kind }: HandlerMessage['handler']): boolean {
  return kind !== 'daemon' && kind !== 'log';
}
