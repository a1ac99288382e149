import type { KubeWatchEvent } from '../../client/watch/watch.event.js';
import { parseTimestamp } from 'kube-common';
import type { KubeObject } from '../../objects/kube-object.js';
import { REDACTED } from '../../objects/redaction.js';
import type { Redactor } from '../../resources/redactor.js';
import { qualifiedName, resourceApiVersion, type Resource } from '../../resources/resources.js';
import { referTo } from '../objects/object.reference.js';
import type { ClusterHistory } from './cluster.history.js';
import type { ClusterPeers } from './cluster.peers.js';
import type { PlaceReceiver, ScannedPlace } from './cluster.scanner.js';
import type { ClusterScope, ClusterTools } from './cluster.tools.js';
import { ClusterWatches, type WatchReceiver, type ClusterWatchTarget } from './cluster.watches.js';
import { compareObserved } from './observed.changes.js';
import { ObservedFailures } from './observed.failures.js';
import { observeObject, type ObservedObject } from './observed.object.js';
import { ObservedObjects } from './observed.objects.js';
import { readPostedOutcome, REPORTING_COMPONENT, saysAllSucceeded } from './posted.outcome.js';

/** The dependencies of the observer. */
export interface ObserverParts {
  readonly tools: ClusterTools;
  readonly scope: ClusterScope;
  readonly history: ClusterHistory;
  readonly peers: ClusterPeers;
  readonly redactor: Redactor;
}

/** The reference to the object of a Kubernetes event, or to an owner. */
type InvolvedObject = Readonly<Partial<Record<'uid' | 'kind' | 'apiVersion' | 'name' | 'namespace', string>>>;

/** The observer of the places that were found. Of each event, it keeps what an inspection shows. */
export class ClusterObserver implements PlaceReceiver, WatchReceiver {
  readonly objects = new ObservedObjects();
  readonly watches: ClusterWatches;
  private readonly failures = new ObservedFailures();

  constructor(private readonly parts: ObserverParts) {
    const { api, settings, clock, random, logger } = parts.tools;
    this.watches = new ClusterWatches({ api, settings, clock, random, logger }, this);
  }

  add({ role, resource, namespace, isAllowed }: ScannedPlace): void {
    const { scope, history } = this.parts;
    if (role === 'objects') this.objects.add(resource, scope.resources.length > 0);
    history.notify('overview', 'watches');
    if (!isAllowed) return;
    const fieldSelector = {
      lease: `metadata.name=${scope.lease}`,
      event: `reportingComponent=${REPORTING_COMPONENT},reason=Logging`,
      peering: undefined,
      objects: undefined,
    }[role];
    this.watches.add({ role, resource, namespace, fieldSelector });
  }

  async remove(resource: Resource): Promise<void> {
    await this.watches.remove(resource);
    this.objects.remove(resource);
    this.parts.history.notify('overview', 'objects', 'watches');
  }

  onState(): void {
    this.parts.history.notify('watches');
  }

  receive({ role, resource }: ClusterWatchTarget, event: KubeWatchEvent): void {
    const { peers, history } = this.parts;
    if (role === 'objects') return this.receiveObject(resource, event);
    if (role === 'event') return this.receivePosted(event);
    if (event.type === 'DELETED') peers.delete(role, event.object);
    else peers.put(role, event.object);
    history.notify('coordination');
  }

  private receiveObject(resource: Resource, { type, object: body }: KubeWatchEvent): void {
    const { tools, history } = this.parts;
    if (type === 'DELETED') {
      const { namespace, name = '' } = body.metadata;
      const before = this.objects.delete(resource, { namespace, name });
      if (!before) return;
      if (before.uid !== undefined) this.failures.forget(before.uid);
      history.record(referTo(resource, before), compareObserved(before, undefined));
    } else {
      const after = this.failures.attach(this.conceal(resource, observeObject(body, tools.clock.now())));
      const before = this.objects.put(resource, after);
      // An object that was listed has no known history.
      if (type !== null) history.record(referTo(resource, after), compareObserved(before, after));
    }
    this.notifyObjects(resource, body);
    history.notify('objects', 'now', 'overview');
  }

  /** Records a Kubernetes event by which an operator reports how an attempt has ended. */
  private receivePosted({ type, object: posted }: KubeWatchEvent): void {
    if (type === 'DELETED') return;
    const { tools, history } = this.parts;
    const { uid, object } = this.findInvolved((posted.involvedObject ?? {}) as InvolvedObject);
    if (uid === undefined) return;
    const at = timeOf(posted) ?? tools.clock.now();
    const outcome = readPostedOutcome(posted);
    if (saysAllSucceeded(posted)) this.failures.succeed(uid, at);
    else if (outcome?.outcome === 'succeeded') this.failures.succeed(uid, at, outcome.handler);
    else if (outcome?.outcome === 'failed') {
      this.failures.fail(uid, { handler: outcome.handler, error: outcome.error ?? '', at });
    }
    if (!object) return;
    const { resource, state } = object;
    const after = this.failures.attach({ ...state, failure: undefined });
    this.objects.put(resource, this.conceal(resource, after));
    if (outcome && type !== null)
      history.recordPosted(referTo(resource, after), outcome, attemptOf(state, outcome.handler));
    history.notifyObject(referTo(resource, after));
    history.notify('objects', 'now', 'overview');
  }

  /** Notifies the observers of an object, and of its owners, whose screens show it, too. */
  private notifyObjects(resource: Resource, { metadata }: KubeObject): void {
    const { history } = this.parts;
    const { namespace, ownerReferences = [] } = metadata;
    history.notifyObject(referTo(resource, metadata));
    for (const { uid, kind, apiVersion, name: ownerName } of ownerReferences) {
      const { object } = this.findInvolved({ uid, kind, apiVersion, name: ownerName, namespace });
      if (object) history.notifyObject(referTo(object.resource, object.state));
    }
  }

  /** Finds the object of a Kubernetes event, or an owner, if it is among those that are watched. */
  private findInvolved({ uid, kind, apiVersion, name = '', namespace }: InvolvedObject): {
    readonly uid?: string;
    readonly object?: { readonly resource: Resource; readonly state: ObservedObject };
  } {
    const resource = this.watches.resources.find(
      (each) => each.kind === kind && resourceApiVersion(each) === apiVersion,
    );
    if (!resource) return { uid };
    const place = resource.namespaced ? namespace : undefined;
    const entry = this.objects.find(qualifiedName(resource), { namespace: place, name });
    return entry?.object.uid === uid && entry ? { uid, object: { resource, state: entry.object } } : { uid };
  }

  /** Redacts the errors of an object with protected values, as errors can quote these. */
  private conceal(resource: Resource, object: ObservedObject): ObservedObject {
    const { progress, failure } = object;
    if (!this.parts.redactor.protects(resource)) return object;
    return {
      ...object,
      progress: progress.map((each) => (each.error === undefined ? each : { ...each, error: REDACTED })),
      ...(failure && { failure: { ...failure, error: REDACTED } }),
    };
  }
}

function timeOf({ lastTimestamp, eventTime, metadata }: KubeObject): number | undefined {
  const times = [lastTimestamp, eventTime, metadata.creationTimestamp].map(parseTimestamp);
  return times.find((time) => time !== undefined);
}

/** Returns the number of the attempt. The Kubernetes event about it can come before the object shows the attempt, or after. */
function attemptOf({ progress }: ObservedObject, handler: string): number {
  const known = progress.find((each) => each.handler === handler);
  if (!known) return 1;
  return known.ended === undefined ? known.attempts + 1 : known.attempts;
}
