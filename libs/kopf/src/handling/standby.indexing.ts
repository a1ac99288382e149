import type { ListedMark, KubeWatchEvent } from '../client/watch/watch.event.js';
import type { EventPoster } from '../contexts/object-events.js';
import type { Indices } from '../contexts/indices.interface.js';
import type { KopfLogger } from '../common/kopf.logger.js';
import { createObjectLogger } from '../events/object.logger.js';
import type { IndexSource } from '../indexing/index.freshness.js';
import type { ListBarrier } from '../indexing/list.barrier.js';
import type { IndexingMemory, ObjectIndexing } from '../indexing/object.indexing.js';
import { ResourcePatch } from '../objects/patches.js';
import type { WatchEvent } from '../objects/kube-object.js';
import type { ResourceHandlers } from '../registry/handler.registry.js';
import { type Resource, resourceKey } from '../resources/resources.js';
import { objectKey } from '../watching/object.queues.js';
import type { StandbyConsumer } from '../watching/resource.watcher.js';
import type { SessionContext } from './session.context.js';

/** Drops the events: the operator that handles the objects posts those of its indexing handlers. */
const NO_EVENTS: EventPoster = { post: () => undefined };

/** The dependencies of the indexing on standby. */
export interface StandbyIndexingParts {
  readonly indexing: ObjectIndexing;
  readonly session: SessionContext;
  readonly resource: Resource;
  readonly handlers: ResourceHandlers;
  readonly indices: Indices;
  readonly barrier: ListBarrier;
  readonly source: IndexSource;
  readonly logger: KopfLogger;
}

/**
 * The indexing of one resource while the operator pauses, as all replicas answer reviews by their indices. Nothing else is done with the
 * objects. Only deletions are remembered, of which the handlers have to be informed after the pause.
 */
export class StandbyIndexing implements StandbyConsumer {
  /** The newest event of each object that is not indexed yet. */
  private readonly waiting = new Map<string, WatchEvent>();
  private readonly working = new Set<string>();
  /** The failures of indexing, as the operator has no other memory of the objects. */
  private readonly memories = new Map<string, IndexingMemory>();
  /** The deletions of objects that the operator had handled before it paused. */
  private readonly missed = new Map<string, KubeWatchEvent>();
  /**
   * The number of the pause. It is increased when the operator works again, so that the results of indexing that is still in progress are
   * dropped.
   */
  private run = 0;

  constructor(private readonly parts: StandbyIndexingParts) {}

  begin(): void {
    this.parts.source.switch(true);
  }

  take(event: KubeWatchEvent | ListedMark): void {
    if (event === 'LISTED') return;
    const key = objectKey(event.object);
    if (event.type === null) this.parts.source.expect(key);
    if (event.type !== 'DELETED') this.missed.delete(key);
    else if (this.parts.session.inventory.find(key)) this.missed.set(key, event);
    this.waiting.set(key, event as WatchEvent);
    if (!this.working.has(key)) void this.work(key, this.run);
  }

  end(): readonly KubeWatchEvent[] {
    this.run += 1;
    this.parts.source.switch(false);
    this.waiting.clear();
    this.working.clear();
    this.memories.clear();
    const missed = [...this.missed.values()];
    this.missed.clear();
    return missed;
  }

  private async work(key: string, run: number): Promise<void> {
    const { source, barrier, logger } = this.parts;
    this.working.add(key);
    for (let event = this.next(key, run); event; event = this.next(key, run)) {
      try {
        await this.index(key, event, run);
      } catch (error) {
        if (run === this.run) createObjectLogger(logger, event.object).error('The object could not be indexed.', error);
      }
    }
    if (run !== this.run) return;
    this.working.delete(key);
    source.indexed(key);
    barrier.indexed(key);
  }

  private next(key: string, run: number): WatchEvent | undefined {
    if (run !== this.run) return undefined;
    const event = this.waiting.get(key);
    this.waiting.delete(key);
    return event;
  }

  private async index(key: string, { type, object: body }: WatchEvent, run: number): Promise<void> {
    const { indexing, session, resource, handlers, indices, logger } = this.parts;
    if (type === 'DELETED') {
      indexing.discard(handlers.indexing, key);
      this.memories.delete(key);
      return;
    }
    const known = session.inventory.find(key);
    const memory = known ?? this.memories.get(key) ?? {};
    const origin = {
      resource,
      body,
      patch: new ResourcePatch(),
      memory: known ?? session.inventory.blank(),
      indices,
      logger: createObjectLogger(logger, body, resourceKey(resource)),
    };
    const { ending, monitor } = session;
    const isOver = (): boolean => run !== this.run;
    await indexing.index(handlers.indexing, key, origin, memory, { events: NO_EVENTS, ending, monitor, isOver });
    if (isOver()) return;
    if (!known && memory.indexing) this.memories.set(key, memory);
    else this.memories.delete(key);
  }
}
