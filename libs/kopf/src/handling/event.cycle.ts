import type { KopfLogger } from '../common/kopf.logger.js';
import type { Indices } from '../contexts/indices.interface.js';
import type { CauseOrigin } from '../contexts/object.causes.js';
import type { KubeObject, WatchEvent } from '../objects/kube-object.js';
import { ResourcePatch } from '../objects/patches.js';
import type { ResourceHandlers } from '../registry/handler.registry.js';
import type { IndexSource } from '../indexing/index.freshness.js';
import type { ListBarrier } from '../indexing/list.barrier.js';
import type { Resource } from '../resources/resources.js';
import { LeftSelectorEvent } from '../watching/left-selector.event.js';
import type { WorkerSlot } from '../watching/worker.slot.js';
import type { ObjectMemory } from './object.memory.js';
import { ReadEvent } from './read.event.js';
import type { SessionContext } from './session.context.js';
import type { HandlerChanges } from './handler.changes.js';

/** The scope that the event cycles of one watch share. */
export interface CycleScope {
  readonly session: SessionContext;
  readonly resource: Resource;
  /** The present handlers of the resource. */
  readonly handlers: ResourceHandlers;
  readonly indices: Indices;
  /** The count of the listed objects that are not indexed yet; absent if the resource has no indices. */
  readonly barrier?: ListBarrier;
  /** The freshness of the indices that the watch fills; absent if no reviews read them. */
  readonly indexSource?: IndexSource;
}

/** What the steps of a cycle leave to its end. */
export interface CycleEnd {
  /** Seconds until handlers are due. */
  readonly delays: readonly number[];
  /** Ends the wait for the delays when it resolves. */
  readonly settled?: Promise<unknown>;
  /** The changes by handlers, in case that the API server rejects them; absent if no handlers were called. */
  readonly handlerChanges?: HandlerChanges;
}

/**
 * The result of the steps of a cycle: its end; or, if the event shows an older state than the operator's own patches, `'outdated'` if the
 * object has to be read, as the watch has not shown a newer state in time, or `'superseded'` if newer events are waiting.
 */
export type CycleResult = CycleEnd | 'outdated' | 'superseded';

/** The processing of one event of an object. The steps of handling work on it, from recalling the object's memory to sending the patch. */
export class EventCycle implements CauseOrigin {
  /** The changes by handlers, which are sent at the end of the cycle. */
  patch: ResourcePatch;
  private ownBookkeeping?: ResourcePatch;
  /** Whether the operator knows a newer state than the event shows. Determined when an attempt begins. */
  isOutdated: boolean;
  /** The handlers of the resource, unchanged during the cycle. */
  readonly handlers: ResourceHandlers;
  /** Whether the steps have left handlers to be called later. */
  isWaiting = false;

  constructor(
    private readonly scope: CycleScope,
    /** The key of the object. */
    readonly key: string,
    readonly event: WatchEvent,
    readonly memory: ObjectMemory,
    readonly slot: WorkerSlot,
    readonly logger: KopfLogger,
  ) {
    this.handlers = scope.handlers;
    this.patch = new ResourcePatch(memory.unsent);
    this.isOutdated = memory.isOutdated(event.object);
  }

  /** Prepares another attempt after an error, as a part of the patch may be stored by now. */
  renew(): void {
    this.patch = new ResourcePatch(this.memory.unsent);
    this.ownBookkeeping = undefined;
    this.isOutdated = this.memory.isOutdated(this.event.object);
  }

  /** The framework's own changes: the finalizer, the touch, and the state that has been written to it so far. */
  get bookkeeping(): ResourcePatch {
    return (this.ownBookkeeping ??= new ResourcePatch());
  }

  /** Replaces the framework's own changes. */
  set bookkeeping(patch: ResourcePatch) {
    this.ownBookkeeping = patch;
  }

  /** Whether there are no changes, neither by handlers nor by the framework. */
  get isUnchanging(): boolean {
    return this.patch.isEmpty && (this.ownBookkeeping?.isEmpty ?? true);
  }

  get body(): KubeObject {
    return this.event.object;
  }

  get resource(): Resource {
    return this.scope.resource;
  }

  get indices(): Indices {
    return this.scope.indices;
  }

  get session(): SessionContext {
    return this.scope.session;
  }

  /** Whether the operator has read the state, so that it is no event of the watch. */
  get isRead(): boolean {
    return this.event instanceof ReadEvent;
  }

  get isDeleted(): boolean {
    return this.event.type === 'DELETED';
  }

  /** Whether no further events of the object are expected. */
  get isLast(): boolean {
    return this.isDeleted || this.event instanceof LeftSelectorEvent;
  }

  /** Whether the object is known to be gone, by a later event or a response of the API server, although it existed at this event. */
  get isObjectGone(): boolean {
    return !this.isDeleted && (this.memory.isGone || this.slot.isGone);
  }

  /** Whether handlers of changes must wait for a newer state, as they would be called with an outdated one. */
  get mustCatchUp(): boolean {
    const isAwaited = this.memory.consistencyDeadline !== undefined;
    return isAwaited && this.isOutdated && !this.isDeleted && !this.isRead;
  }

  /** Marks the object as indexed, or as not to be indexed, for those parts of the operator that wait for all listed objects. */
  noteIndexed(): void {
    this.scope.barrier?.indexed(this.key);
    this.scope.indexSource?.indexed(this.key);
  }
}
