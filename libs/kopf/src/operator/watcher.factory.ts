import { Inject, Injectable } from '@nestjs/common';
import { UnfilteredReader } from '../client/api/object.reader.js';
import { selectOnServer } from '../client/watch/server.selectors.js';
import { WatchEnvironment } from '../client/watch/watch.environment.js';
import type { WatchStatus } from '../client/watch/watch.reporter.js';
import { EventProcessor, ResourceEvents } from '../handling/event.processor.js';
import { IndexRegistry } from '../indexing/index.registry.js';
import { IndexFreshness, type IndexSource } from '../indexing/index.freshness.js';
import { ObjectIndexing } from '../indexing/object.indexing.js';
import { StandbyIndexing } from '../handling/standby.indexing.js';
import { ListBarrier } from '../indexing/list.barrier.js';
import type { WatchEvent } from '../objects/kube-object.js';
import type { IndexingHandler } from '../registry/handler.js';
import { HandlerRegistry, type ResourceHandlers } from '../registry/handler.registry.js';
import type { Resource } from '../resources/resources.js';
import { pageLimit } from '../settings/client.settings.js';
import type { ObjectSelector } from '../resources/object-selector.js';
import { LeftSelectorTracker } from '../watching/left-selector.tracker.js';
import { QueueDiagnostics } from '../watching/queue.diagnostics.js';
import { ObjectQueues } from '../watching/object.queues.js';
import { ResourceWatcher } from '../watching/resource.watcher.js';
import type { WatchTarget } from '../watching/watcher.set.js';
import type { SessionEngine } from './session.engine.js';
import { InjectOwn } from '../kopf.tokens.js';

/** Creates the watchers of resources, each with the queues of its objects, out of which the events go to their processing. */
@Injectable()
export class WatcherFactory {
  constructor(
    @InjectOwn(HandlerRegistry) private readonly registry: HandlerRegistry,
    @InjectOwn(IndexRegistry) private readonly indices: IndexRegistry,
    @InjectOwn(IndexFreshness) private readonly freshness: IndexFreshness,
    @Inject(ObjectIndexing) private readonly indexing: ObjectIndexing,
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
    const { indexing, commonSelector } = registry.handlersOf(resource);
    const lookup = (each: Resource): ResourceHandlers => registry.handlersOf(each);
    const barrier = indexing.length > 0 ? new ListBarrier(session.gate) : undefined;
    const source = barrier && this.createSource(session, { resource, namespace }, indexing);
    const events = new ResourceEvents(processor, session, resource, lookup, indices.all, barrier, source);
    const { backpressure, leadership } = session;
    const { clock, api } = environment;
    const diagnostics = new QueueDiagnostics(clock, api.operator, resource);
    const slots = session.slotsOf(resource);
    const queues = new ObjectQueues(events, clock, slots, backpressure, leadership, diagnostics);
    const selectors = selectOnServer(environment.settings.watching, resource, commonSelector);
    const options = { ...environment.options, resource, namespace, ...selectors };
    const put = (event: WatchEvent): void => watcher.put(event);
    const leftSelectorTracker = commonSelector && this.createTracker({ resource, namespace }, commonSelector, put);
    const standby =
      barrier && source?.options.isWatchedInPause
        ? new StandbyIndexing({
            indexing: this.indexing,
            session,
            resource,
            handlers: lookup(resource),
            indices: indices.all,
            barrier,
            source,
            logger: environment.logger,
          })
        : undefined;
    const watcher = new ResourceWatcher(options, queues, onStatus, barrier, leftSelectorTracker, source, standby);
    return watcher;
  }

  /** Creates what knows whether the indices of a resource can be relied on; reviews alone ask for it. */
  private createSource(
    { leadership }: SessionEngine,
    { resource, namespace }: WatchTarget,
    indexing: readonly IndexingHandler[],
  ): IndexSource | undefined {
    const { registry, freshness, environment } = this;
    if (registry.allAdmission().length === 0) return undefined;
    const isWatchedInPause = environment.settings.admission.standbyIndices === 'watch';
    const names = indexing.map(({ id }) => id);
    return freshness.add({ resource, namespace, names, leadership, isWatchedInPause });
  }

  private createTracker(
    target: WatchTarget,
    selection: ObjectSelector,
    emit: (event: WatchEvent) => void,
  ): LeftSelectorTracker {
    const { api, settings, clock, logger } = this.environment;
    const { resource, namespace } = target;
    const limit = pageLimit(settings.watching);
    // What the settings exclude is not there for this operator: another one may handle it.
    const client = new UnfilteredReader(api, resource, selection, limit, selectOnServer(settings.watching, resource));
    const { finalizer, formerFinalizers } = settings.persistence;
    const options = { client, namespace, finalizer, formerFinalizers, clock, logger };
    return new LeftSelectorTracker(options, emit);
  }
}
