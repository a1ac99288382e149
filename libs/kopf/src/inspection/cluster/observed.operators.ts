import { getHeapStatistics } from 'node:v8';
import { Redactor } from '../../resources/redactor.js';
import { qualifiedName } from '../../resources/resources.js';
import type { ClockTimer } from 'kube-common';
import type { OperatorEvent } from '../event-log/operator.event.js';
import type {
  ConsoleAction,
  ConsoleActionAnswer,
  ConsoleActionRequest,
  ConsoleCoordination,
  ConsoleHandler,
  ConsoleMemory,
  ConsoleNow,
  ConsoleObject,
  ConsoleObjectDetails,
  ConsoleObjectReference,
  ConsolePage,
  ConsolePermission,
  ConsoleWatch,
  ConsoleWebhook,
  ObjectQuery,
} from '../../console/console.api.js';
import { ConsoleError } from '../inspection.error.js';
import { ErrorFolder } from '../objects/error.folding.js';
import type {
  ConsoleListener,
  ConsoleSource,
  ConsoleViewer,
  ObjectAddress,
  SourceOverview,
} from '../operator.inspection.js';
import { ClusterActions } from '../../console/actions/cluster.actions.js';
import { ClusterDetails } from './cluster.details.js';
import { ClusterHistory } from './cluster.history.js';
import { ClusterObserver } from './cluster.observer.js';
import { ClusterPeers } from './cluster.peers.js';
import { ClusterScanner } from './cluster.scanner.js';
import type { ClusterScope, ClusterTools } from './cluster.tools.js';
import { describeNow } from './observed.now.js';
import type { ObservedEntry } from './observed.objects.js';
import { queryObjects } from './observed.query.js';

/** Lists the actions that need nothing of the operator but its state on the object. */
const CLUSTER_ACTIONS: readonly ConsoleAction[] = ['retry', 'postpone', 'complete', 'release'];

/** Milliseconds after which what is waited for can be due, or overdue, so that answers change by themselves. */
const AGING = 5000;

/**
 * Knows the operators of a cluster by what they leave on the objects, of whichever framework with Kopf's format: everything is watched over
 * the user's own connection, and nothing in the operators takes part.
 */
export class ClusterSource implements ConsoleSource {
  readonly name: string;
  private readonly history: ClusterHistory;
  private readonly peers = new ClusterPeers();
  private readonly observer: ClusterObserver;
  private readonly scanner: ClusterScanner;
  private readonly details: ClusterDetails;
  private readonly actions: ClusterActions;
  private readonly folder = new ErrorFolder();
  private readonly stopping = new AbortController();
  private readonly startedAt: number;
  private aging?: ClockTimer;
  private scanning: Promise<void> = Promise.resolve();
  private serverVersion?: string;

  constructor(
    private readonly tools: ClusterTools,
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
    this.actions = new ClusterActions({ tools, history, redactor });
  }

  /**
   * Looks up what there is to watch, and begins to watch it; the objects follow.
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

  overview(): SourceOverview {
    const now = this.tools.clock.now();
    const { objects: all } = this.observer;
    const deleting = all.active().filter(({ object }) => object.deletingSince !== undefined).length;
    const counts = { objects: all.list().length, ...this.now().totals, deleting, daemons: 0 };
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
      now,
    };
  }

  now(): ConsoleNow {
    return describeNow(this.observer.objects.active(), this.folder, this.tools.clock.now());
  }

  objects(query: ObjectQuery): ConsolePage<ConsoleObject> {
    return queryObjects(this.observer.objects, query, this.tools.clock.now());
  }

  object(address: ObjectAddress, signal: AbortSignal): Promise<ConsoleObjectDetails> {
    return this.details.describe(this.find(address), signal);
  }

  handlers(): readonly ConsoleHandler[] {
    return this.history.tallies.describe(this.observer.objects.active(), this.tools.clock.now());
  }

  /** Lists the watches of the console itself; those of the operators are not seen. */
  watches(): readonly ConsoleWatch[] {
    const forbidden = this.scanner.places.filter(({ isAllowed }) => !isAllowed);
    return [
      ...this.observer.watches.describe(),
      ...forbidden.map(({ resource, namespace }): ConsoleWatch => {
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

  coordination(): ConsoleCoordination {
    return this.peers.describe(this.tools.clock.now());
  }

  /** Webhooks are called by the API server, and leave nothing on the objects. */
  webhooks(): readonly ConsoleWebhook[] {
    return [];
  }

  /** Describes the memory of the console itself; that of the operators is not seen. */
  memory(): ConsoleMemory {
    const { used_heap_size: used, heap_size_limit: limit } = getHeapStatistics();
    const objects = this.observer.objects.list().length;
    return { objects, indices: [], daemons: [], totals: { daemons: 0, timers: 0 }, heap: { used, limit } };
  }

  /** Lists what the console needs, and whether the user has it. */
  permissions(): readonly ConsolePermission[] {
    return this.scanner.places.flatMap(({ resource, namespace, isAllowed }) =>
      ['list', 'watch'].map((verb) => {
        const { group, plural } = resource;
        const place = namespace === undefined ? {} : { namespace };
        return { verb, group, resource: plural, ...place, neededBy: ['kopf console'], used: 0, granted: isAllowed };
      }),
    );
  }

  follow(listener: ConsoleListener): () => void {
    const unfollow = this.history.follow(listener);
    this.age();
    return unfollow;
  }

  act(
    action: ConsoleAction,
    request: ConsoleActionRequest,
    viewer: ConsoleViewer,
    signal: AbortSignal,
  ): Promise<ConsoleActionAnswer> {
    return this.actions.act(action, this.findActed(action, request.object), request, viewer, signal);
  }

  async mayAct(
    action: ConsoleAction,
    object: ConsoleObjectReference | undefined,
    _viewer: ConsoleViewer,
    signal: AbortSignal,
  ): Promise<boolean> {
    return this.actions.mayAct(action, this.findActed(action, object), signal);
  }

  /** Handlers become due without any event. */
  private age(): void {
    this.aging?.cancel();
    if (!this.history.isFollowed) return;
    this.aging = this.tools.clock.setTimer(() => {
      this.history.tell('now', 'objects', 'overview');
      this.age();
    }, AGING);
  }

  /** @throws ConsoleError 400 if the action cannot be done from outside. */
  private findActed(action: ConsoleAction, object: ConsoleObjectReference | undefined): ObservedEntry {
    if (!CLUSTER_ACTIONS.includes(action)) {
      throw new ConsoleError(400, `The operator runs elsewhere, where ${action} cannot be asked for.`);
    }
    if (!object) throw new ConsoleError(400, 'The object is missing.');
    return this.find(object);
  }

  private find({ resource, namespace, name }: ObjectAddress): ObservedEntry {
    const entry = this.observer.objects.find(resource, { namespace, name });
    if (entry) return entry;
    const where = namespace === undefined ? '' : ` in the namespace ${namespace}`;
    throw new ConsoleError(404, `There is no ${resource} ${name}${where}.`);
  }
}
