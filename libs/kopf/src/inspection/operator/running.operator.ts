import { type ClockTimer, errorText } from 'kube-common';
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
import { ErrorFolder } from '../objects/error.folding.js';
import type {
  Awaitable,
  ConsoleListener,
  ConsoleSource,
  ConsoleViewer,
  ObjectAddress,
  SourceOverview,
} from '../operator.inspection.js';
import { describeMemory } from './memory.inspection.js';
import { describeWatches } from './watch.inspection.js';
import { describeCoordination } from './coordination.inspection.js';
import { describeHandlers, describeWebhooks } from './handler.inspection.js';
import { MadeResources } from './made.resources.js';
import { ObjectCatalog } from './object.catalog.js';
import { ObjectDetails } from './object.details.js';
import { ObjectStates, type ObjectState } from './object.states.js';
import { OperatorActions } from '../../console/actions/operator.actions.js';
import { ServerVersion } from './server.version.js';
import { OperatorConcealment } from './operator.concealment.js';
import { OperatorHistory } from './operator.history.js';
import { describeNow, type ActiveObject } from './operator.now.js';
import { describePermissions } from './permission.inspection.js';
import type { SourceOptions, SourceServices } from './inspected.services.js';

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
  private readonly version: ServerVersion;
  /** Ends the history some time after the last viewer. */
  private farewell?: ClockTimer;

  constructor(
    private readonly services: SourceServices,
    private readonly options: SourceOptions,
  ) {
    const { lifecycle, watchers, clock, settings, operator } = services;
    this.name = operator.name;
    this.version = new ServerVersion(services.api);
    this.concealment = new OperatorConcealment(settings, options.redact);
    const { concealment } = this;
    this.history = new OperatorHistory(
      {
        operator: services.identity,
        lifecycle,
        registry: services.registry,
        watchers,
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
    if (host === undefined || this.version.isAsked) return this.describeOverview(host);
    return this.version.ask().then(() => this.describeOverview(host));
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
    return describeWatches(this.services.watchers, this.history.watches);
  }

  coordination(): ConsoleCoordination {
    return describeCoordination(this.services);
  }

  webhooks(): readonly ConsoleWebhook[] {
    return describeWebhooks(this.services.registry, this.history.reviews);
  }

  memory(): ConsoleMemory {
    return describeMemory(this.services);
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
    const { operator, peering, clock, watchers } = this.services;
    const unserved = watchers.unserved.map(({ resource, reason, handlers }) => ({ resource, reason, handlers }));
    const { state, since, waitingFor, failure, pauseStatus } = operator;
    const { totals } = this.now();
    return {
      framework: 'nestjs-kopf',
      state: state === 'idle' ? 'stopped' : state === 'paused' ? 'running' : state,
      since,
      waitingFor,
      ...(failure !== undefined && { failure: errorText(failure) }),
      paused: pauseStatus.reasons,
      ...(unserved.length > 0 && { unserved }),
      identity: peering.identity,
      ...(host !== undefined && { cluster: { host, version: this.version.text } }),
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
}
