import { Inject, Injectable } from '@nestjs/common';
import { UnfilteredReader } from '../client/api/object.reader.js';
import { WatchEnvironment } from '../client/watch/watch.environment.js';
import type { WatchStatus } from '../client/watch/watch.reporter.js';
import { EventProcessor, ResourceEvents } from '../handling/event.processor.js';
import { IndexRegistry } from '../indexing/index.registry.js';
import { ListBarrier } from '../indexing/list.barrier.js';
import { HandlerRegistry } from '../registry/handler.registry.js';
import type { ObjectSelector } from '../resources/object-selector.js';
import { LeftSelectorTracker } from '../watching/left-selector.tracker.js';
import { QueueFollower } from '../watching/queue.follower.js';
import { ObjectQueues } from '../watching/object.queues.js';
import { ResourceWatcher } from '../watching/resource.watcher.js';
import type { WatchTarget } from '../watching/watcher.set.js';
import type { SessionEngine } from './session.engine.js';

/** Creates the watchers of resources, each with the queues of its objects, out of which the events go to their processing. */
@Injectable()
export class WatcherFactory {
  constructor(
    @Inject(HandlerRegistry) private readonly registry: HandlerRegistry,
    @Inject(IndexRegistry) private readonly indices: IndexRegistry,
    @Inject(EventProcessor) private readonly processor: EventProcessor,
    @Inject(WatchEnvironment) private readonly environment: WatchEnvironment,
  ) {}

  /** Creates the watcher of a resource in a session. */
  create(
    session: SessionEngine,
    { resource, namespace }: WatchTarget,
    onStatus: (status: WatchStatus) => void,
  ): ResourceWatcher {
    const { processor, registry, indices, environment } = this;
    const { selection } = registry.handlersOf(resource);
    const handlers = () => registry.handlersOf(resource);
    const events = new ResourceEvents(processor, session, resource, handlers, indices.all);
    const expectList = (): void => {
      if (handlers().indexing.length > 0) events.barrier ??= new ListBarrier(session.gate);
    };
    expectList();
    const { backpressure, leadership } = session;
    const { clock, api } = environment;
    const follower = new QueueFollower(clock, api.operator, resource);
    const slots = session.slotsOf(resource);
    const queues = new ObjectQueues(events, clock, slots, backpressure, leadership, follower);
    const { labelSelector, fieldSelector } = selection ?? {};
    const options = { ...environment.options, resource, namespace, labelSelector, fieldSelector };
    const leftSelectorTracker = selection && this.createTracker({ resource, namespace }, selection, queues);
    return new ResourceWatcher(options, queues, onStatus, events, expectList, leftSelectorTracker);
  }

  private createTracker(target: WatchTarget, selection: ObjectSelector, queues: ObjectQueues): LeftSelectorTracker {
    const { api, settings, clock, logger } = this.environment;
    const { resource, namespace } = target;
    const client = new UnfilteredReader(api, resource, selection, settings.watching.pageSize);
    const { finalizer } = settings.persistence;
    return new LeftSelectorTracker({ client, namespace, finalizer, clock, logger }, (event) => queues.put(event));
  }
}
