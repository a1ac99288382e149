import { Inject, Injectable } from '@nestjs/common';
import { DiscoveryClient } from '../client/api/discovery.client.js';
import { UnfilteredReader } from '../client/api/object.reader.js';
import type { WatchStatus } from '../client/watch/watch.reporter.js';
import { WatchEnvironment } from '../client/watch/watch.environment.js';
import type { Coordination } from '../coordination/pausing/leadership.js';
import { EventProcessor, ResourceEvents } from '../handling/event.processor.js';
import { IndexRegistry } from '../indexing/index.registry.js';
import { ListBarrier } from '../indexing/list.barrier.js';
import type { KopfModuleOptions } from '../kopf.options.js';
import { KOPF_OPTIONS } from '../kopf.tokens.js';
import { HandlerRegistry } from '../registry/handler.registry.js';
import type { NamespacePattern } from '../resources/namespaces.js';
import type { ObjectSelector } from '../resources/object-selector.js';
import { LeftSelectorTracker } from '../watching/left-selector.tracker.js';
import { WatcherSet, type WatchTarget } from '../watching/watcher.set.js';
import { NamespaceObserver } from '../watching/namespace.observer.js';
import { QueueFollower } from '../watching/queue.follower.js';
import { ObjectQueues } from '../watching/object.queues.js';
import { Orchestrator } from '../watching/orchestrator.js';
import { ResourceWatcher } from '../watching/resource.watcher.js';
import type { SessionEngine } from './session.engine.js';

/** Creates what watches in a session, and has the events of each watch processed. */
@Injectable()
export class WatchingFactory {
  /** There can be credentials in them, which must not be seen when the operator is printed. */
  readonly #options: KopfModuleOptions;

  constructor(
    @Inject(KOPF_OPTIONS) options: KopfModuleOptions,
    @Inject(HandlerRegistry) private readonly registry: HandlerRegistry,
    @Inject(IndexRegistry) private readonly indices: IndexRegistry,
    @Inject(WatcherSet) readonly watcher: WatcherSet,
    @Inject(EventProcessor) private readonly processor: EventProcessor,
    @Inject(WatchEnvironment) private readonly environment: WatchEnvironment,
  ) {
    this.#options = options;
  }

  /** Creates what decides which resources are watched. */
  createOrchestrator(session: SessionEngine, coordination: Coordination): Orchestrator {
    const { registry, watcher, environment } = this;
    const { api, settings, clock, logger, options: watching } = environment;
    const { namespaces } = this.#options;
    const patterns = namespaces === undefined ? undefined : toList(namespaces);
    return new Orchestrator({
      registry,
      settings,
      watcher,
      watching,
      coordination,
      admission: session.admission,
      clock,
      logger,
      discovery: new DiscoveryClient(api, logger),
      namespaces: (onChange) => new NamespaceObserver(patterns, watching, onChange),
      watcherFactory: (target, onStatus) => this.createWatcher(session, target, onStatus),
    });
  }

  private createWatcher(
    session: SessionEngine,
    { resource, namespace }: WatchTarget,
    onStatus: (status: WatchStatus) => void,
  ): ResourceWatcher {
    const { processor, registry, indices, environment } = this;
    const handlers = registry.handlersOf(resource);
    const { indexing, selection } = handlers;
    const barrier = indexing.length > 0 ? new ListBarrier(session.gate) : undefined;
    const events = new ResourceEvents(processor, session, resource, handlers, indices.all, barrier);
    const { backpressure, leadership } = session;
    const { clock, api } = environment;
    const follower = new QueueFollower(clock, api.operator, resource);
    const slots = session.slotsOf(resource);
    const queues = new ObjectQueues(events, clock, slots, backpressure, leadership, follower);
    const { labelSelector, fieldSelector } = selection ?? {};
    const options = { ...environment.options, resource, namespace, labelSelector, fieldSelector };
    const leftSelectorTracker = selection && this.createDepartures({ resource, namespace }, selection, queues);
    return new ResourceWatcher(options, queues, onStatus, barrier, leftSelectorTracker);
  }

  private createDepartures(target: WatchTarget, selection: ObjectSelector, queues: ObjectQueues): LeftSelectorTracker {
    const { api, settings, clock, logger } = this.environment;
    const { resource, namespace } = target;
    const client = new UnfilteredReader(api, resource, selection, settings.watching.pageSize);
    const { finalizer } = settings.persistence;
    return new LeftSelectorTracker({ client, namespace, finalizer, clock, logger }, (event) => queues.put(event));
  }
}

function toList(patterns: NamespacePattern | readonly NamespacePattern[]): readonly NamespacePattern[] {
  return Array.isArray(patterns) ? (patterns as readonly NamespacePattern[]) : [patterns as NamespacePattern];
}
