import { getHeapStatistics } from 'node:v8';
import { Redactor } from '../../resources/redactor.js';
import { qualifiedName, type Resource } from '../../resources/resources.js';
import type { ClockTimer } from 'kube-common';
import type { HandlingPlan, HandlingPlanRequest, UserOperation } from '../plans/handling.plan.js';
import type { OperatorEvent } from '../event-log/operator.event.js';
import type {
  InspectedCoordination,
  InspectedHandler,
  InspectedMemory,
  OperatorActivity,
  InspectedObject,
  InspectedObjectDetails,
  InspectedPage,
  InspectedPermission,
  InspectedWatch,
  InspectedWebhook,
  ObjectQuery,
  OperatorOverview,
} from '../inspection.types.js';
import { InspectionError } from '../inspection.error.js';
import { ErrorFolder } from '../objects/error.folding.js';
import type { InspectionObserver, OperatorInspection, ObjectAddress } from '../operator.inspection.js';
import { ClusterPlans } from './cluster.plans.js';
import { ClusterDetails } from './cluster.details.js';
import { ClusterHistory } from './cluster.history.js';
import { ClusterObserver } from './cluster.observer.js';
import { ClusterPeers } from './cluster.peers.js';
import { ClusterScanner } from './cluster.scanner.js';
import type { ClusterScope, ClusterTools } from './cluster.tools.js';
import { inspectClusterNow } from './observed.now.js';
import type { ObservedEntry } from './observed.objects.js';
import { queryObjects, referenceOfEntry } from './observed.query.js';

/** The milliseconds after which answers are compared again, as attempts become due or overdue without any event. */
const AGING = 5000;

/**
 * The inspection of operators by what they leave on the objects of a cluster, whichever framework with Kopf's format they use. Everything
 * is watched over the user's own connection, and the operators need no support for it.
 */
export class ClusterInspection implements OperatorInspection {
  readonly name: string;
  private readonly history: ClusterHistory;
  private readonly peers = new ClusterPeers();
  private readonly observer: ClusterObserver;
  private readonly scanner: ClusterScanner;
  private readonly details: ClusterDetails;
  private readonly plans: ClusterPlans;
  private readonly folder = new ErrorFolder();
  private readonly stopping = new AbortController();
  private readonly startedAt: number;
  private aging?: ClockTimer;
  private scanning: Promise<void> = Promise.resolve();
  private serverVersion?: string;

  constructor(
    readonly tools: ClusterTools,
    scope: ClusterScope,
  ) {
    this.name = scope.name;
    this.startedAt = tools.clock.now();
    const { peers } = this;
    const redactor = new Redactor();
    const history = new ClusterHistory(tools.clock);
    this.history = history;
    this.observer = new ClusterObserver({ tools, scope, history, peers, redactor });
    this.scanner = new ClusterScanner(tools, scope, this.observer);
    const { objects } = this.observer;
    const available = () => this.scanner.available;
    this.details = new ClusterDetails({ tools, history, peers, redactor, objects, available });
    this.plans = new ClusterPlans(tools, redactor);
  }

  /**
   * Discovers the resources, and begins to watch them; their objects are listed afterwards.
   *
   * @returns the names of resources that were asked for, and that the cluster does not have.
   * @throws ApiError, ConnectionError, LoginError if the cluster cannot be asked.
   */
  async start(): Promise<readonly string[]> {
    const { signal } = this.stopping;
    const { gitVersion } = await this.tools.api.get<{ gitVersion?: string }>('/version', { signal });
    this.serverVersion = gitVersion;
    this.observer.watches.start();
    await this.scanner.scan(signal);
    this.scanning = this.scanner.repeat(signal);
    return this.scanner.missing;
  }

  /** Ends all watches. */
  async stop(): Promise<void> {
    this.stopping.abort();
    this.aging?.cancel();
    await this.scanning;
    await this.observer.watches.stop();
  }

  get logBeganAt(): number {
    return this.history.beganAt;
  }

  recentEvents(): readonly OperatorEvent[] {
    return this.history.recentEvents;
  }

  overview(): OperatorOverview {
    const now = this.tools.clock.now();
    const { objects: all } = this.observer;
    const deleting = all.active().filter(({ object }) => object.deletingSince !== undefined).length;
    const counts = { objects: all.list().length, ...this.now().totals, deleting, daemons: 0, timers: 0 };
    const resources = all.resources().map(({ resource, objects }) => {
      return { resource: qualifiedName(resource), kind: resource.kind, namespaced: resource.namespaced, objects };
    });
    return {
      framework: 'kopf',
      state: 'observed',
      since: this.startedAt,
      paused: [],
      identity: '',
      cluster: { host: this.tools.host(), ...(this.serverVersion !== undefined && { version: this.serverVersion }) },
      counts,
      resources,
      recordedSince: this.logBeganAt,
      now,
    };
  }

  now(): OperatorActivity {
    return inspectClusterNow(this.observer.objects.active(), this.folder, this.tools.clock.now());
  }

  objects(query: ObjectQuery): InspectedPage<InspectedObject> {
    return queryObjects(this.observer.objects, query, this.tools.clock.now());
  }

  object(address: ObjectAddress, signal: AbortSignal): Promise<InspectedObjectDetails> {
    return this.details.inspect(this.find(address), signal);
  }

  handlers(): readonly InspectedHandler[] {
    return this.history.statistics.inspect(this.observer.objects.active(), this.tools.clock.now());
  }

  /** Returns the watches of the console itself; those of the operators are not seen. */
  watches(): readonly InspectedWatch[] {
    const forbidden = this.scanner.places.filter(({ isAllowed }) => !isAllowed);
    return [
      ...this.observer.watches.inspect(),
      ...forbidden.map(({ resource, namespace }): InspectedWatch => {
        return {
          resource: qualifiedName(resource),
          kind: resource.kind,
          ...(namespace !== undefined && { namespace }),
          state: 'forbidden',
          since: this.startedAt,
          objects: 0,
          restarts: 0,
          bookmarks: 0,
          gone: 0,
          error: 'You are not allowed to list and watch it.',
          backlog: 0,
        };
      }),
    ];
  }

  coordination(): InspectedCoordination {
    return this.peers.inspect(this.tools.clock.now());
  }

  /** Returns nothing, as reviews leave nothing on objects. */
  webhooks(): readonly InspectedWebhook[] {
    return [];
  }

  /** Describes the memory of the console itself; that of the operators is not seen. */
  memory(): InspectedMemory {
    const { used_heap_size: used, heap_size_limit: limit } = getHeapStatistics();
    const objects = this.observer.objects.list().length;
    return { objects, indices: [], daemons: [], totals: { daemons: 0, timers: 0 }, heap: { used, limit } };
  }

  /** Returns what the console needs, and whether the user has it. */
  permissions(): readonly InspectedPermission[] {
    return this.scanner.places.flatMap(({ resource, namespace, isAllowed }) =>
      ['list', 'watch'].map((verb) => {
        const { group, plural } = resource;
        const place = namespace === undefined ? {} : { namespace };
        return { verb, group, resource: plural, ...place, neededBy: ['kopf console'], used: 0, granted: isAllowed };
      }),
    );
  }

  subscribe(observer: InspectionObserver): () => void {
    const unsubscribe = this.history.subscribe(observer);
    this.age();
    return unsubscribe;
  }

  async plan(request: HandlingPlanRequest, signal: AbortSignal): Promise<HandlingPlan> {
    return this.plans.plan(request, this.find(request.object), signal);
  }

  async memo(): Promise<never> {
    throw new InspectionError(400, 'The operator runs elsewhere, where its memos are.');
  }

  record({ text, user, object }: UserOperation): void {
    if (!object) return;
    this.history.record(referenceOfEntry(this.find(object)), [
      { type: 'operation', actor: { kind: 'user', name: user }, text },
    ]);
  }

  /** The resource of an object. @throws InspectionError 404 if there is no such object */
  resourceOf(address: ObjectAddress): Resource {
    return this.find(address).resource;
  }

  /** Notifies the observers periodically, as handlers become due without any event. */
  private age(): void {
    this.aging?.cancel();
    if (!this.history.isObserved) return;
    this.aging = this.tools.clock.setTimer(() => {
      this.history.notify('now', 'objects', 'overview');
      this.age();
    }, AGING);
  }

  private find({ resource, namespace, name }: ObjectAddress): ObservedEntry {
    const entry = this.observer.objects.find(resource, { namespace, name });
    if (entry) return entry;
    const where = namespace === undefined ? '' : ` in the namespace ${namespace}`;
    throw new InspectionError(404, `There is no ${resource} ${name}${where}.`);
  }
}
