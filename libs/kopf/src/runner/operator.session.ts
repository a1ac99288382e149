import { KubeApi } from '../client/api.client.js';
import { DiscoveryClient } from '../client/discovery.client.js';
import { EventsClient } from '../client/events.client.js';
import { PatchVerification } from '../client/patch.verification.js';
import { PatchingClient } from '../client/patching.client.js';
import type { Vault } from '../client/vault/vault.js';
import { Activity } from '../enums/activity.enum.js';
import type { ActivityRunner } from '../engines/activities/activity.runner.js';
import type { OperatorMemo } from '../engines/activities/operator.memo.js';
import { BackgroundEngine } from '../engines/daemons/background.engine.js';
import { BackgroundPatching } from '../engines/daemons/background.patching.js';
import { IndexingGate } from '../engines/indexing/indexing.gate.js';
import type { KopfIndices } from '../engines/indexing/kopf.indices.js';
import { ListingBarrier } from '../engines/indexing/listing.barrier.js';
import { ObjectIndexing } from '../engines/indexing/object.indexing.js';
import { EssentialChanges } from '../engines/timers/essential.changes.js';
import type { Authority } from '../engines/pausing/authority.js';
import type { Coordination } from '../engines/pausing/coordination.interface.js';
import type { Pauses } from '../engines/pausing/pauses.js';
import type { KopfPeering } from '../engines/peering/kopf.peering.js';
import { ObjectLoggerFactory } from '../engines/posting/object-logger.factory.js';
import { PostingQueue } from '../engines/posting/posting.queue.js';
import { HandlerExecutor } from '../execution/handler.executor.js';
import type { Clock } from '../interfaces/clock.interface.js';
import type { Lifecycle } from '../interfaces/lifecycle.interface.js';
import type { KopfLogger } from '../interfaces/logger.interface.js';
import type { Random } from '../interfaces/random.interface.js';
import type { WatchStatus } from '../interfaces/watch-status.interface.js';
import { BackgroundHandling } from '../reactor/background.handling.js';
import { Backpressure } from '../reactor/backpressure.js';
import { ChangeDetector } from '../reactor/change.detector.js';
import { ChangeHandling } from '../reactor/change.handling.js';
import { EventHandling } from '../reactor/event.handling.js';
import { EventProcessor } from '../reactor/event.processor.js';
import { FinalizerHandling } from '../reactor/finalizer.handling.js';
import { IndexHandling } from '../reactor/index.handling.js';
import { Inventory } from '../reactor/inventory.js';
import type { KopfWatcher, WatchTarget } from '../reactor/kopf.watcher.js';
import { NamespaceObserver } from '../reactor/namespace.observer.js';
import { ObjectQueues } from '../reactor/object.queues.js';
import { Orchestrator } from '../reactor/orchestrator.js';
import { PatchApplication } from '../reactor/patch.application.js';
import { ResourceWatcher } from '../reactor/resource.watcher.js';
import { Slots } from '../reactor/slots.js';
import type { KopfRegistry } from '../registry/kopf.registry.js';
import type { KopfSettings } from '../settings/kopf.settings.js';
import type { NamespacePattern } from '../structs/namespaces.js';
import { TimerHeap } from '../utils/timer.heap.js';
import { sleep } from '../utils/sleep.js';
import { makeAuthority, makeCoordination } from './coordination.factory.js';
import type { CoordinationMode } from './operator.options.js';
import { PauseFollower } from './pause.follower.js';

/** How many patches may wait for each connection before more objects are begun with. */
const PATCHES_PER_CONNECTION = 3;

/** What a session is made of. */
export interface OperatorSessionOptions {
  readonly registry: KopfRegistry;
  readonly settings: KopfSettings;
  readonly watcher: KopfWatcher;
  readonly indices: KopfIndices;
  readonly vault: Vault;
  readonly api: KubeApi;
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: KopfLogger;
  readonly lifecycle: Lifecycle;
  readonly activities: ActivityRunner;
  readonly memo: OperatorMemo;
  readonly namespaces: readonly NamespacePattern[] | undefined;
  readonly mode: CoordinationMode;
  readonly peering: KopfPeering;
  readonly pauses: Pauses;
}

/** One run of the operator, from its start to its stop: all that must not outlive it. */
export class OperatorSession {
  /** Ends the watching, the waiting for retries, and the like. */
  private readonly stopping = new AbortController();
  /** Ends the waiting for handlers. */
  private readonly ending = new AbortController();
  /** Ends the sending of what daemons want. */
  private readonly closing = new AbortController();
  private readonly executor: HandlerExecutor;
  private readonly posting: PostingQueue;
  private readonly inventory: Inventory;
  private readonly heap: TimerHeap;
  private readonly background: BackgroundEngine;
  private readonly gate = new IndexingGate();
  private readonly processor: EventProcessor;
  private readonly slots: Slots;
  private readonly backpressure: Backpressure;
  private readonly authority?: Authority;
  private readonly follower: PauseFollower;
  private coordination?: Coordination;
  private starting?: Promise<void>;
  private running?: Promise<void>;

  constructor(private readonly options: OperatorSessionOptions) {
    const { settings, watcher, pauses, api, clock, random, logger, memo } = options;
    this.authority = makeAuthority({ mode: options.mode, watching: this.watching });
    this.executor = new HandlerExecutor(clock, random, settings);
    this.posting = new PostingQueue(new EventsClient(api, settings.posting, clock, logger), settings, logger);
    this.inventory = new Inventory(memo.current);
    this.slots = new Slots(() => settings.queueing.workerLimit);
    this.backpressure = new Backpressure(clock, () => settings.networking.connections * PATCHES_PER_CONNECTION);
    this.heap = new TimerHeap(clock);
    const patching = new PatchingClient(api, logger);
    const verification = new PatchVerification();
    this.background = new BackgroundEngine({
      executor: this.executor,
      settings,
      heap: this.heap,
      patching: new BackgroundPatching(patching, verification, this.scopeOf(this.closing.signal)),
      events: this.posting,
    });
    this.processor = this.makeProcessor(
      new PatchApplication(patching, verification, settings, clock, this.backpressure, this.ending.signal),
    );
    this.follower = new PauseFollower(pauses, watcher, this.background, logger);
  }

  get isStopping(): boolean {
    return this.stopping.signal.aborted;
  }

  /** How many daemons and timers there are, with those that are exiting. */
  get daemons(): number {
    return this.background.size;
  }

  /** How many objects are remembered. */
  get objects(): number {
    return this.inventory.size;
  }

  /**
   * Runs the startup handlers.
   *
   * @throws ActivityError if any has failed.
   */
  startUp(): Promise<void> {
    this.starting = this.options.activities.run(Activity.STARTUP, this.stopping.signal);
    return this.starting;
  }

  /**
   * Waits until there are credentials, or until the session ends.
   *
   * @throws LoginError if there are none.
   */
  async logIn(): Promise<void> {
    const { signal } = this.stopping;
    const over = new AbortController();
    signal.throwIfAborted();
    try {
      // The login is for others, too, so it goes on.
      await Promise.race([this.options.vault.acquire(), aborted(signal, over.signal)]);
    } finally {
      over.abort();
    }
  }

  /**
   * Begins to watch and to handle objects.
   *
   * @param onSettled called when all objects were listed, and indexed, for the first time.
   * @param onFailed called if the work cannot go on.
   */
  run(onSettled: () => void, onFailed: (error: unknown) => void): void {
    const { pauses, mode, peering, settings } = this.options;
    const { watching } = this;
    this.coordination = makeCoordination({ mode, peering, settings, pauses, watching }, this.authority);
    this.follower.start();
    const orchestrator = this.makeOrchestrator(this.coordination);
    // An operator that pauses is as ready as it can be.
    const onListed = (): void => void Promise.race([this.gate.opened(), pauses.untilPaused()]).then(onSettled);
    this.running = orchestrator.run(this.stopping.signal, onListed).catch((error: unknown) => {
      if (!this.stopping.signal.aborted) onFailed(error);
    });
  }

  /** Takes no more events; waits for the work in progress, but not for ever, and sends what is to be sent. */
  async drain(): Promise<void> {
    const { settings, watcher, logger } = this.options;
    this.stopping.abort();
    this.gate.abort();
    await this.follower.stop();
    const exited = this.background.exit();
    // Why it could not start is known to those who have started it.
    const started = this.starting?.catch(() => undefined);
    const drained = Promise.all([watcher.stop(), this.running, started]);
    if (!(await this.isDoneInTime(drained, settings.queueing.exitTimeout))) {
      logger.warn('Some handlers are still running; they are not waited for any longer.');
      this.ending.abort();
    }
    await exited;
  }

  /** Runs the cleanup handlers, sends the last events, and forgets everything; none of it takes longer than the settings allow. */
  async cleanUp(): Promise<void> {
    const { settings, logger, indices } = this.options;
    const { exitTimeout } = settings.queueing;
    if (!(await this.isDoneInTime(this.runCleanup(), settings.process.ultimateExitingTimeout))) {
      logger.warn('The cleanup handlers are not waited for any longer.');
    }
    await this.isDoneInTime(this.posting.flush(), exitTimeout);
    this.posting.close();
    this.ending.abort();
    this.closing.abort();
    if (this.coordination && !(await this.isDoneInTime(this.coordination.leave(), exitTimeout))) {
      logger.warn('Other operators could not be told that this one has stopped; they will find out on their own.');
    }
    this.heap.clear();
    this.inventory.clear();
    indices.clear();
  }

  private async runCleanup(): Promise<void> {
    const { activities, logger } = this.options;
    try {
      await activities.run(Activity.CLEANUP, this.ending.signal);
    } catch (error) {
      logger.error((error as Error).message, error);
    }
  }

  private async isDoneInTime(work: Promise<unknown>, seconds: number): Promise<boolean> {
    const finished = new AbortController();
    const done = work.finally(() => finished.abort());
    // What fails later than it is waited for is of no interest.
    done.catch(() => undefined);
    const timedOut = await sleep(this.options.clock, seconds, finished.signal);
    if (!timedOut) await done;
    return !timedOut;
  }

  private get watching() {
    const { settings, api, clock, random, logger } = this.options;
    return { api, settings: settings.watching, clock, random, logger };
  }

  /** The signal, or the loss of the right to work. */
  private scopeOf(signal: AbortSignal): { readonly signal: AbortSignal } {
    const { authority } = this;
    if (!authority) return { signal };
    return {
      get signal() {
        return authority.within(signal);
      },
    };
  }

  private makeOrchestrator(coordination: Coordination): Orchestrator {
    const { registry, settings, watcher, api, clock, logger, namespaces } = this.options;
    const { watching } = this;
    return new Orchestrator({
      registry,
      settings,
      watcher,
      watching,
      coordination,
      clock,
      logger,
      discovery: new DiscoveryClient(api, logger),
      namespaces: (onChange) => new NamespaceObserver(namespaces, watching, onChange),
      watcherFactory: (target, onStatus) => this.makeWatcher(target, onStatus),
    });
  }

  private makeWatcher({ resource, namespace }: WatchTarget, onStatus: (status: WatchStatus) => void): ResourceWatcher {
    const { registry, clock } = this.options;
    const isIndexed = registry.handlersOf(resource).indexing.length > 0;
    const barrier = isIndexed ? new ListingBarrier(this.gate) : undefined;
    const queues = new ObjectQueues(
      (event, key, turn) => this.processor.process(resource, event, key, turn, () => barrier?.arrive(key)),
      clock,
      this.slots,
      this.backpressure,
      this.authority,
    );
    return new ResourceWatcher({ ...this.watching, resource, namespace }, queues, onStatus, barrier);
  }

  private makeProcessor(application: PatchApplication): EventProcessor {
    const { registry, settings, indices, lifecycle, clock, logger } = this.options;
    const { executor, posting, inventory } = this;
    const { signal } = this.ending;
    const scope = this.scopeOf(signal);
    const loggers = new ObjectLoggerFactory(logger, posting, settings);
    const indexing = new ObjectIndexing(indices, executor, clock, posting, signal);
    return new EventProcessor({
      registry,
      settings,
      inventory,
      indices: indices.all,
      indexing: new IndexHandling(indexing, this.gate),
      detector: new ChangeDetector(settings, clock),
      events: new EventHandling(executor, clock, posting, scope),
      background: new BackgroundHandling(this.background, new EssentialChanges(settings), clock),
      finalizer: new FinalizerHandling(settings),
      changes: new ChangeHandling({ executor, settings, lifecycle, clock, events: posting, scope }),
      application,
      loggerFor: (body) => loggers.create(body),
    });
  }
}

/** Rejects when the signal is aborted, unless the other one was before. */
function aborted(signal: AbortSignal, over: AbortSignal): Promise<never> {
  return new Promise((_resolve, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason as Error), { once: true, signal: over });
  });
}
