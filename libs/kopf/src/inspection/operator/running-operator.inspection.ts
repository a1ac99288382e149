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
  ObjectIdentity,
  InspectedPage,
  InspectedPermission,
  InspectedWatch,
  InspectedWebhook,
  ObjectQuery,
  OperatorOverview,
} from '../inspection.types.js';
import { ErrorFolder } from '../objects/error.folding.js';
import type { Awaitable, InspectionObserver, ObjectAddress } from '../operator.inspection.js';
import type { RunningInspection } from '../operator.readings.js';
import { countBackground, inspectMemory } from './answers/memory.inspection.js';
import { inspectWatches } from './answers/watch.inspection.js';
import { inspectCoordination } from './answers/coordination.inspection.js';
import { inspectHandlers, inspectWebhooks } from './answers/handler.inspection.js';
import { MadeResources } from './objects/made.resources.js';
import { ObjectCatalog } from './objects/object.catalog.js';
import { ObjectDetails } from './objects/object.details.js';
import { ObjectStates, type ObjectState } from './objects/object.states.js';
import { OperatorPlans } from './operator.plans.js';
import { OperatorReader } from './operator.reader.js';
import { ServerVersion } from './answers/server.version.js';
import { findProblems } from './answers/operator.health.js';
import { OperatorConcealment } from './operator.concealment.js';
import { OperatorHistory } from './history/operator.history.js';
import { inspectOperatorNow, type ActiveObject } from './answers/operator.now.js';
import { inspectPermissions } from './answers/permission.inspection.js';
import type { InspectionSettings, InspectedServices } from './inspected.services.js';

/** The inspection of an operator in this process, which reads the operator's memory. */
export class RunningOperatorInspection implements RunningInspection {
  readonly name: string;
  readonly readings: OperatorReader;
  private readonly observers = new Set<InspectionObserver>();
  private readonly history: OperatorHistory;
  private readonly states: ObjectStates;
  private readonly catalog: ObjectCatalog;
  private readonly details: ObjectDetails;
  private readonly plans: OperatorPlans;
  private readonly folder = new ErrorFolder();
  private readonly concealment: OperatorConcealment;
  private lastNow?: { readonly states: ReadonlyMap<string, ObjectState>; readonly answer: OperatorActivity };
  private readonly version: ServerVersion;
  /** The timer that stops the history some time after the last observer has left. */
  private stopTimer?: ClockTimer;

  constructor(
    private readonly services: InspectedServices,
    private readonly options: InspectionSettings,
  ) {
    const { lifecycle, watchers, clock, settings, operator } = services;
    this.name = operator.name;
    this.readings = new OperatorReader(services);
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
        log: (event) => this.observers.forEach((observer) => observer.log(event)),
        changed: (topic) => this.observers.forEach((observer) => observer.changed(topic)),
        changedObject: (object) => this.observers.forEach((observer) => observer.changedObject(object)),
      },
    );
    const { objects, active } = this.history;
    this.states = new ObjectStates(lifecycle, watchers, objects, active, services.executor, clock);
    this.catalog = new ObjectCatalog(watchers, this.states, objects, concealment, clock);
    this.details = new ObjectDetails(services, {
      catalog: this.catalog,
      states: this.states,
      histories: objects,
      concealment,
      made: new MadeResources(services, options),
      findRepeatable: (body) => this.plans.findRepeatable(body),
      traceUrl: options.traceUrl,
    });
    this.plans = new OperatorPlans(services, concealment, this.catalog, this.states);
    if (options.history.keep === 'always') this.history.start();
  }

  /** Called by Nest for an inspection that is a provider. */
  onModuleDestroy(): void {
    this.close();
  }

  /** Ends all subscriptions, and forgets the history. */
  close(): void {
    this.stopTimer?.cancel();
    this.observers.clear();
    this.history.stop();
    this.catalog.close();
    this.readings.close();
  }

  get logBeganAt(): number {
    return this.history.beganAt;
  }

  recentEvents(): readonly OperatorEvent[] {
    return this.history.recentEvents;
  }

  /** Returns the overview at once when the version of the API server is known, as the console compares it often. */
  overview(): Awaitable<OperatorOverview> {
    const host = this.services.vault.current()?.host;
    if (host === undefined || this.version.isAsked) return this.inspectOverview(host);
    return this.version.ask().then(() => this.inspectOverview(host));
  }

  now(): OperatorActivity {
    const states = this.states.all();
    // The overview has the same counts, and viewers request both at the same time.
    if (this.lastNow?.states !== states) this.lastNow = { states, answer: this.inspectNow(states) };
    return { ...this.lastNow.answer, now: this.services.clock.now() };
  }

  objects(query: ObjectQuery): InspectedPage<InspectedObject> {
    return this.catalog.query(query);
  }

  async object(address: ObjectAddress, signal: AbortSignal): Promise<InspectedObjectDetails> {
    return { ...(await this.details.inspect(address, signal)), beganAt: this.logBeganAt };
  }

  handlers(): readonly InspectedHandler[] {
    return inspectHandlers(this.services.registry, this.history.handlers, this.services.clock.now());
  }

  watches(): readonly InspectedWatch[] {
    return inspectWatches(this.services.watchers, this.readings.queues(), this.history.watches);
  }

  coordination(): InspectedCoordination {
    return inspectCoordination(this.services);
  }

  webhooks(): readonly InspectedWebhook[] {
    return inspectWebhooks(this.services.registry, this.history.reviews);
  }

  memory(): InspectedMemory {
    return inspectMemory(this.services);
  }

  permissions(signal: AbortSignal): Promise<readonly InspectedPermission[]> {
    return inspectPermissions(this.services, this.options.describe(), this.history.permissions, signal);
  }

  subscribe(observer: InspectionObserver): () => void {
    this.observers.add(observer);
    this.stopTimer?.cancel();
    this.history.start();
    return () => {
      const { keep, seconds } = this.options.history;
      if (!this.observers.delete(observer) || this.observers.size > 0 || keep === 'always') return;
      this.stopTimer = this.services.clock.setTimer(() => this.history.stop(), seconds * 1000);
    };
  }

  plan(request: HandlingPlanRequest, signal: AbortSignal): Promise<HandlingPlan> {
    return this.plans.plan(request, signal);
  }

  memo(object: ObjectIdentity, signal: AbortSignal): Promise<unknown> {
    return this.plans.readMemo(object, signal);
  }

  record({ text, user, object }: UserOperation): void {
    this.history.recordAction(text, user, object);
  }

  private inspectNow(states: ReadonlyMap<string, ObjectState>): OperatorActivity {
    const active: ActiveObject[] = [];
    for (const [uid, state] of states) {
      const found = this.catalog.find(uid);
      if (!found) continue;
      const { object, resource } = found;
      active.push({ object, state, conceal: (error) => this.concealment.error(resource, error)! });
    }
    return inspectOperatorNow(active, this.folder, this.services.clock.now());
  }

  private inspectOverview(host: string | undefined): OperatorOverview {
    const { peering, clock } = this.services;
    const { state, since, waitingFor, failure, paused, unserved } = this.readings.status();
    const { totals } = this.now();
    return {
      framework: 'nestjs-kopf',
      state: state === 'idle' ? 'stopped' : state === 'paused' ? 'running' : state,
      since,
      waitingFor,
      ...(failure !== undefined && { failure }),
      paused,
      ...(unserved.length > 0 && { unserved }),
      identity: peering.identity,
      ...(host !== undefined && { cluster: { host, version: this.version.text } }),
      problems: findProblems(this.readings, totals),
      counts: {
        objects: this.catalog.resources().reduce((sum, { objects }) => sum + objects, 0),
        ...totals,
        deleting: this.catalog.countDeleting(),
        ...countBackground(this.services),
      },
      resources: this.catalog.resources(),
      ...(this.history.isKept && { recordedSince: this.logBeganAt }),
      now: clock.now(),
    };
  }
}
