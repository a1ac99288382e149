import { getHeapStatistics } from 'node:v8';
import type { ClockTimer } from '../../common/clock.js';
import type { OperatorEvent } from '../../event-log/operator.event.js';
import { errorText } from '../../common/texts.js';
import type {
  ConsoleAction,
  ConsoleActionAnswer,
  ConsoleActionRequest,
  ConsoleCoordination,
  ConsoleDaemon,
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
} from '../console.api.js';
import { ErrorFolder } from '../error.folding.js';
import type {
  Awaitable,
  ConsoleListener,
  ConsoleSource,
  ConsoleViewer,
  ObjectAddress,
  SourceOverview,
} from '../console.source.js';
import { qualifiedName } from '../../resources/resources.js';
import { describeCoordination } from './coordination.answers.js';
import { describeHandlers, describeWebhooks } from './handler.answers.js';
import { MadeResources } from './made.resources.js';
import { ObjectCatalog } from './object.catalog.js';
import { ObjectDetails } from './object.details.js';
import { ObjectStates, type ObjectState } from './object.states.js';
import { OperatorActions } from './operator.actions.js';
import { OperatorConcealment } from './operator.concealment.js';
import { OperatorHistory } from './operator.history.js';
import { describeNow, type ActiveObject } from './operator.now.js';
import { describePermissions } from './permission.answers.js';
import type { SourceOptions, SourceServices } from './source.services.js';

/** The most daemons and timers of one answer. */
const MOST_DAEMONS = 500;

/** Knows an operator in this process, by what it holds in memory anyway. */
export class OperatorSource implements ConsoleSource {
  readonly name: string;
  private readonly listeners = new Set<ConsoleListener>();
  private readonly history: OperatorHistory;
  private readonly states: ObjectStates;
  private readonly catalog: ObjectCatalog;
  private readonly details: ObjectDetails;
  private readonly actions: OperatorActions;
  private readonly folder = new ErrorFolder();
  private readonly concealment: OperatorConcealment;
  private lastNow?: { readonly states: ReadonlyMap<string, ObjectState>; readonly answer: ConsoleNow };
  private asking?: Promise<string | undefined>;
  private version?: { readonly text?: string };
  /** Ends the history some time after the last viewer. */
  private farewell?: ClockTimer;

  constructor(
    private readonly services: SourceServices,
    private readonly options: SourceOptions,
  ) {
    const { lifecycle, watchers, clock, settings, operator } = services;
    this.name = operator.name;
    this.concealment = new OperatorConcealment(settings, options.redact);
    const { concealment } = this;
    this.history = new OperatorHistory(
      {
        operator: services.identity,
        lifecycle,
        registry: services.registry,
        concealment,
        find: (uid) => this.catalog.find(uid)?.object,
        clock,
      },
      options.history,
      {
        log: (event) => this.listeners.forEach((listener) => listener.log(event)),
        changed: (topic) => this.listeners.forEach((listener) => listener.changed(topic)),
        changedObject: (object) => this.listeners.forEach((listener) => listener.changedObject(object)),
      },
    );
    const { objects, active } = this.history;
    this.states = new ObjectStates(lifecycle, watchers, objects, active, clock);
    this.catalog = new ObjectCatalog(watchers, this.states, objects, concealment, clock);
    this.details = new ObjectDetails(services, {
      catalog: this.catalog,
      states: this.states,
      histories: objects,
      concealment,
      made: new MadeResources(services, options),
      traceUrl: options.traceUrl,
    });
    this.actions = new OperatorActions(services, this.history, concealment, this.catalog);
    if (options.history.keep === 'always') this.history.start();
  }

  /** Ends everything that it does. */
  close(): void {
    this.farewell?.cancel();
    this.listeners.clear();
    this.history.stop();
    this.catalog.close();
  }

  get logBeganAt(): number {
    return this.history.beganAt;
  }

  recentEvents(): readonly OperatorEvent[] {
    return this.history.recentEvents;
  }

  /** Is answered at once when the version of the API server is known, as it is compared often. */
  overview(): Awaitable<SourceOverview> {
    const host = this.services.vault.current()?.host;
    if (host === undefined || this.version) return this.describeOverview(host);
    return this.askVersion().then(() => this.describeOverview(host));
  }

  now(): ConsoleNow {
    const states = this.states.all();
    // The overview counts the same, and both are asked for at the same time.
    if (this.lastNow?.states !== states) this.lastNow = { states, answer: this.describeNow(states) };
    return { ...this.lastNow.answer, now: this.services.clock.now() };
  }

  objects(query: ObjectQuery): ConsolePage<ConsoleObject> {
    return this.catalog.query(query);
  }

  async object(address: ObjectAddress, signal: AbortSignal): Promise<ConsoleObjectDetails> {
    return { ...(await this.details.describe(address, signal)), beganAt: this.logBeganAt };
  }

  handlers(): readonly ConsoleHandler[] {
    return describeHandlers(this.services.registry, this.history.handlers, this.services.clock.now());
  }

  watches(): readonly ConsoleWatch[] {
    const loads = new Map<string, number>();
    for (const { resource, waiting } of this.services.watchers.loads) {
      const name = qualifiedName(resource);
      loads.set(name, (loads.get(name) ?? 0) + waiting);
    }
    return this.services.watchers.states.map((status) => {
      const { resource, namespace, state, since, lastEventAt, resourceVersion, objects, restarts, lastError } = status;
      const name = qualifiedName(resource);
      return {
        resource: name,
        kind: resource.kind,
        namespace,
        state,
        since,
        lastEventAt,
        resourceVersion,
        objects,
        restarts,
        ...this.history.watches.of(resource, namespace),
        ...(lastError !== undefined && { error: errorText(lastError) }),
        backlog: loads.get(name) ?? 0,
        lag: this.history.watches.lagOf(resource),
      };
    });
  }

  coordination(): ConsoleCoordination {
    return describeCoordination(this.services);
  }

  webhooks(): readonly ConsoleWebhook[] {
    return describeWebhooks(this.services.registry, this.history.reviews);
  }

  memory(): ConsoleMemory {
    const { operator, indices, lifecycle, clock } = this.services;
    const runs = [...(lifecycle.engine?.background.all ?? [])];
    const { used_heap_size: used, heap_size_limit: limit } = getHeapStatistics();
    const toWallClock = clock.now() - clock.monotonic();
    const daemons = runs.slice(0, MOST_DAEMONS).map((run): ConsoleDaemon => {
      const { resource, metadata } = run.object;
      const { name = '', namespace, uid } = metadata;
      const kind = run.handler.kind === 'daemon' ? 'daemon' : 'timer';
      return {
        resource: qualifiedName(resource),
        namespace,
        name,
        uid,
        handler: run.handler.id,
        kind,
        state: run.isStopping ? 'stopping' : 'running',
        ...(kind === 'timer' && run.due > 0 && { nextAt: run.due + toWallClock }),
      };
    });
    const timers = runs.filter(({ handler }) => handler.kind !== 'daemon').length;
    return {
      objects: operator.objects,
      indices: indices.names.map((id) => ({ id, ...countIndex(indices.get(id)) })),
      daemons,
      totals: { daemons: runs.length - timers, timers },
      heap: { used, limit },
    };
  }

  permissions(signal: AbortSignal): Promise<readonly ConsolePermission[]> {
    return describePermissions(this.services, this.options.describe(), this.history.permissions, signal);
  }

  follow(listener: ConsoleListener): () => void {
    this.listeners.add(listener);
    this.farewell?.cancel();
    this.history.start();
    return () => {
      if (!this.listeners.delete(listener) || this.listeners.size > 0 || this.options.history.keep === 'always') return;
      const { seconds } = this.options.history;
      this.farewell = this.services.clock.setTimer(() => this.history.stop(), seconds * 1000);
    };
  }

  act(
    action: ConsoleAction,
    request: ConsoleActionRequest,
    viewer: ConsoleViewer,
    signal: AbortSignal,
  ): Promise<ConsoleActionAnswer> {
    return this.actions.act(action, request, viewer, signal);
  }

  mayAct(
    action: ConsoleAction,
    object: ConsoleObjectReference | undefined,
    viewer: ConsoleViewer,
    signal: AbortSignal,
  ): Promise<boolean> {
    return this.actions.mayAct(action, object, viewer, signal);
  }

  private describeNow(states: ReadonlyMap<string, ObjectState>): ConsoleNow {
    const active: ActiveObject[] = [];
    for (const [uid, state] of states) {
      const found = this.catalog.find(uid);
      if (!found) continue;
      const { object, resource } = found;
      active.push({ object, state, conceal: (error) => this.concealment.error(resource, error)! });
    }
    return describeNow(active, this.folder, this.services.clock.now());
  }

  private describeOverview(host: string | undefined): SourceOverview {
    const { operator, peering, clock } = this.services;
    const { state, since, waitingFor, failure, pauseStatus } = operator;
    const { totals } = this.now();
    return {
      framework: 'nestjs-kopf',
      state: state === 'idle' ? 'stopped' : state === 'paused' ? 'running' : state,
      since,
      waitingFor,
      ...(failure !== undefined && { failure: errorText(failure) }),
      paused: pauseStatus.reasons,
      identity: peering.identity,
      ...(host !== undefined && { cluster: { host, version: this.version?.text } }),
      counts: {
        objects: this.catalog.resources().reduce((sum, { objects }) => sum + objects, 0),
        ...totals,
        deleting: this.catalog.countDeleting(),
        daemons: operator.daemons,
      },
      resources: this.catalog.resources(),
      now: clock.now(),
    };
  }

  /** Asks for the version of the API server, once. */
  private async askVersion(): Promise<void> {
    this.asking ??= this.services.api
      .get<{ readonly gitVersion?: string }>('/version', { retries: false })
      .then(({ gitVersion }) => gitVersion)
      .catch(() => undefined);
    this.version = { text: await this.asking };
  }
}

function countIndex(index: { readonly size: number } & Iterable<unknown>): { keys: number; values: number } {
  let values = 0;
  for (const entry of index) {
    const [, found] = entry as readonly [unknown, Iterable<unknown>];
    for (const _ of found) values += 1;
  }
  return { keys: index.size, values };
}
