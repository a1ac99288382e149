import { DiscoveryClient } from '../client/api/discovery.client.js';
import { EventsClient } from '../client/api/events.client.js';
import { ObjectReader } from '../client/api/object.reader.js';
import { PatchVerification } from '../client/api/patch.verification.js';
import { PatchingClient } from '../client/api/patching.client.js';
import { UnfilteredReader } from '../client/api/unfiltered.reader.js';
import { AdmissionEngine } from '../admission/admission.engine.js';
import { BackgroundEngine } from '../background/background.engine.js';
import { BackgroundPatching } from '../background/background.patching.js';
import { IndexingGate } from '../indexing/indexing.gate.js';
import { ListBarrier } from '../indexing/list.barrier.js';
import { ObjectIndexing } from '../indexing/object.indexing.js';
import { EssentialChanges } from '../background/essential.changes.js';
import type { Leadership } from '../coordination/pausing/leadership.js';
import type { Coordination } from '../coordination/pausing/coordination.interface.js';
import { ObjectLoggerFactory } from '../events/object-logger.factory.js';
import { PostingQueue } from '../events/posting.queue.js';
import type { BlockageMonitor } from '../execution/blockage.monitor.js';
import { HandlerExecutor } from '../execution/handler.executor.js';
import type { Resource } from '../resources/resource.interface.js';
import type { WatchStatus } from '../client/watch/watch-status.interface.js';
import { BackgroundHandling } from '../handling/background.handling.js';
import { Backpressure } from '../watching/backpressure.js';
import { ChangeDetector } from '../handling/change.detector.js';
import { ChangeHandling } from '../handling/change.handling.js';
import { ReleaseHandling } from '../handling/release.handling.js';
import { LeftSelectorTracker } from '../watching/left-selector.tracker.js';
import { EventHandling } from '../handling/event.handling.js';
import { EventProcessor } from '../handling/event.processor.js';
import { FinalizerHandling } from '../handling/finalizer.handling.js';
import { IndexHandling } from '../handling/index.handling.js';
import { Inventory } from '../handling/inventory.js';
import type { WatchTarget } from '../watching/watcher.set.js';
import { LateChanges } from '../handling/late.changes.js';
import { NamespaceObserver } from '../watching/namespace.observer.js';
import { ObjectQueues } from '../watching/object.queues.js';
import { Orchestrator } from '../watching/orchestrator.js';
import { PatchApplication } from '../handling/patch.application.js';
import { ResourceWatcher } from '../watching/resource.watcher.js';
import { Slots } from '../watching/slots.js';
import type { ObjectSelector } from '../resources/object-selector.js';
import { TimerHeap } from '../common/timer.heap.js';
import type { SessionOptions } from './session.options.js';

/** How many patches may wait for each connection before more objects are begun with. */
const PATCHES_PER_CONNECTION = 3;

/** When the parts of an engine stop. */
export interface EngineSignals {
  /** Ends the waiting for handlers. */
  readonly ending: AbortSignal;
  /** Ends the sending of what daemons want. */
  readonly closing: AbortSignal;
}

/** Puts together what handles objects in one run of the operator. It decides nothing, and begins nothing on its own. */
export class SessionEngine {
  readonly posting: PostingQueue;
  readonly inventory: Inventory;
  readonly background: BackgroundEngine;
  readonly admission: AdmissionEngine;
  readonly gate = new IndexingGate();
  private readonly heap: TimerHeap;
  private readonly executor: HandlerExecutor;
  private readonly processor: EventProcessor;
  private readonly slots: Slots;
  private readonly slotsPerKind = new Map<string, Slots>();
  private readonly backpressure: Backpressure;

  constructor(
    private readonly options: SessionOptions,
    private readonly signals: EngineSignals,
    private readonly leadership: Leadership,
    monitor: BlockageMonitor,
  ) {
    const { settings, api, clock, random, logger, memo } = options;
    this.executor = new HandlerExecutor(clock, random, settings, monitor);
    this.posting = new PostingQueue(new EventsClient(api, settings.posting, clock, logger), settings, logger);
    this.inventory = new Inventory(memo.current);
    this.slots = new Slots(() => settings.queueing.workerLimit);
    this.backpressure = new Backpressure(clock, () => settings.networking.connections * PATCHES_PER_CONNECTION);
    this.heap = new TimerHeap(clock);
    const patching = new PatchingClient(api, logger);
    const verification = new PatchVerification();
    this.background = new BackgroundEngine({
      executor: this.executor,
      invoker: options.invoker,
      settings,
      heap: this.heap,
      patching: new BackgroundPatching(patching, verification, this.scopeOf(signals.closing)),
      events: this.posting,
      leadership: this.leadership,
    });
    this.admission = this.createAdmission();
    this.processor = this.createProcessor(
      new PatchApplication(patching, verification, settings, clock, this.backpressure, signals.ending),
    );
  }

  /** What watches need. */
  get watching() {
    const { settings, api, clock, random, logger } = this.options;
    return { api, settings: settings.watching, clock, random, logger };
  }

  /** Forgets all objects. */
  clear(): void {
    this.heap.clear();
    this.inventory.clear();
    this.options.indices.clear();
  }

  /** Makes what decides which resources are watched. */
  createOrchestrator(coordination: Coordination): Orchestrator {
    const { registry, settings, watcher, api, clock, logger, namespaces } = this.options;
    const { watching } = this;
    return new Orchestrator({
      registry,
      settings,
      watcher,
      watching,
      coordination,
      admission: this.admission,
      clock,
      logger,
      discovery: new DiscoveryClient(api, logger),
      namespaces: (onChange) => new NamespaceObserver(namespaces, watching, onChange),
      watcherFactory: (target, onStatus) => this.createWatcher(target, onStatus),
    });
  }

  private createAdmission(): AdmissionEngine {
    const { admission, registry, settings, invoker, indices, api, vault, clock, random, logger } = this.options;
    return new AdmissionEngine({
      admission,
      registry,
      settings: settings.admission,
      watching: settings.watching,
      executor: this.executor,
      invoker,
      memories: this.inventory,
      indices: indices.all,
      events: this.posting,
      api,
      vault,
      clock,
      random,
      logger,
    });
  }

  private createWatcher(
    { resource, namespace }: WatchTarget,
    onStatus: (status: WatchStatus) => void,
  ): ResourceWatcher {
    const { registry, clock } = this.options;
    const { indexing, selection } = registry.handlersOf(resource);
    const isIndexed = indexing.length > 0;
    const barrier = isIndexed ? new ListBarrier(this.gate) : undefined;
    const queues = new ObjectQueues(
      (event, key, turn) => this.processor.process(resource, event, key, turn, () => barrier?.indexed(key)),
      clock,
      this.slotsOf(resource),
      this.backpressure,
      this.leadership,
    );
    const { labelSelector, fieldSelector } = selection ?? {};
    const options = { ...this.watching, resource, namespace, labelSelector, fieldSelector };
    const leftSelectorTracker = selection && this.createLeftSelectorTracker({ resource, namespace }, selection, queues);
    return new ResourceWatcher(options, queues, onStatus, barrier, leftSelectorTracker);
  }

  private createLeftSelectorTracker(
    target: WatchTarget,
    selection: ObjectSelector,
    queues: ObjectQueues,
  ): LeftSelectorTracker {
    const { api, settings, clock, logger } = this.options;
    const { resource, namespace } = target;
    const client = new UnfilteredReader(api, resource, selection, settings.watching.pageSize);
    const { finalizer } = settings.persistence;
    return new LeftSelectorTracker({ client, namespace, finalizer, clock, logger }, (event) => queues.put(event));
  }

  /** The slots of a resource, in whatever namespaces it is watched. */
  private slotsOf({ group, plural }: Resource): Slots {
    const kind = `${plural}.${group}`;
    let slots = this.slotsPerKind.get(kind);
    if (!slots) {
      slots = new Slots(() => this.options.settings.queueing.workerLimitPerKind, this.slots);
      this.slotsPerKind.set(kind, slots);
    }
    return slots;
  }

  private createProcessor(application: PatchApplication): EventProcessor {
    const { registry, settings, invoker, indices, lifecycle, clock, logger } = this.options;
    const { executor, posting, inventory } = this;
    const signal = this.signals.ending;
    const scope = this.scopeOf(signal);
    const loggers = new ObjectLoggerFactory(logger, posting, settings);
    const lateChanges = new LateChanges(settings, clock);
    const indexing = new ObjectIndexing(indices, executor, invoker, clock, posting, signal);
    return new EventProcessor({
      registry,
      settings,
      inventory,
      indices: indices.all,
      indexing: new IndexHandling(indexing, this.gate),
      detector: new ChangeDetector(settings),
      events: new EventHandling(executor, invoker, clock, posting, scope),
      background: new BackgroundHandling(this.background, new EssentialChanges(settings), clock),
      finalizer: new FinalizerHandling(settings),
      changes: new ChangeHandling({
        executor,
        invoker,
        settings,
        lifecycle,
        clock,
        events: posting,
        lateChanges,
        scope,
      }),
      application,
      reader: new ObjectReader(this.options.api),
      releaseHandling: new ReleaseHandling({ indexing, engine: this.background, application, inventory, settings }),
      loggerFor: (body) => loggers.create(body),
    });
  }

  /** The signal, or the loss of the right to work. */
  private scopeOf(signal: AbortSignal): { readonly signal: AbortSignal; readonly pending?: Promise<void> } {
    const { leadership } = this;
    return {
      get signal() {
        return leadership.within(signal);
      },
      get pending() {
        return leadership.pending;
      },
    };
  }
}
