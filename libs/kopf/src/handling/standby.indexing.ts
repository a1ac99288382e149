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

/** Drops events: the operator that handles the object posts those of the same handlers. */
const NO_EVENTS: EventPoster = { post: () => undefined };

/** Lists what the indexing on standby consists of. */
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
 * Keeps the indices of one resource filled while the operator pauses: reviews are answered by them on every replica. Nothing
 * else is done with the objects, and nothing is remembered of them but deletions that the handlers have to be told of later.
 */
export class StandbyIndexing implements StandbyConsumer {
  /** The newest event of each object that waits. */
  private readonly waiting = new Map<string, WatchEvent>();
  private readonly working = new Set<string>();
  /** Failures of the indexing, of objects that the operator has no other memory of. */
  private readonly memories = new Map<string, IndexingMemory>();
  /** Deletions of objects that the operator has handled before it paused. */
  private readonly missed = new Map<string, KubeWatchEvent>();
  /** Raised when the operator goes on: what is still being indexed comes too late then. */
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
