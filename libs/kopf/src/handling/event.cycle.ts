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

/** What the cycles of one watch have in common. */
export interface CycleScope {
  readonly session: SessionContext;
  readonly resource: Resource;
  /** The handlers of the resource as they are now. */
  readonly handlers: ResourceHandlers;
  readonly indices: Indices;
  /** The count of the listed objects that are not indexed yet; absent if the resource has no indices. */
  readonly barrier?: ListBarrier;
  /** The freshness of the indices that the watch fills; absent if no reviews read them. */
  readonly indexSource?: IndexSource;
}

/** What the steps of a cycle leave to be done at its end. */
export interface CycleEnd {
  /** Seconds until handlers are due. */
  readonly delays: readonly number[];
  /** Ends the waiting for the delays, as if they were over. */
  readonly settled?: Promise<unknown>;
  /** What handlers want, in case that it is refused; absent if none were called. */
  readonly handlerChanges?: HandlerChanges;
}

/**
 * Tells how the steps of a cycle have ended: with its end; or with nothing, as the event shows a state that is older than the operator's own patches:
 * `'outdated'` if the object is to be read, as the watch has told of nothing newer in time, `'superseded'` if newer events wait.
 */
export type CycleResult = CycleEnd | 'outdated' | 'superseded';

/** Holds one event of an object with all that is known of it; the steps of handling work on it, from the object's memory to the patch. */
export class EventCycle implements CauseOrigin {
  /** Collects what handlers want to be changed, which is sent at the end of the cycle. */
  patch: ResourcePatch;
  private ownBookkeeping?: ResourcePatch;
  /** Set if the operator knows of a newer state than the event shows. It is decided when an attempt begins. */
  isOutdated: boolean;
  /** The handlers of the resource, the same for the whole cycle. */
  readonly handlers: ResourceHandlers;
  /** Is true once the steps have left handlers to be called later. */
  isWaiting = false;

  constructor(
    private readonly scope: CycleScope,
    /** Identifies the object. */
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

  /** Prepares another attempt after an error: a part of the patch may be stored by now. */
  renew(): void {
    this.patch = new ResourcePatch(this.memory.unsent);
    this.ownBookkeeping = undefined;
    this.isOutdated = this.memory.isOutdated(this.event.object);
  }

  /** Collects what the framework itself changes: the finalizer, the touch, and the state as far as it is written down. */
  get bookkeeping(): ResourcePatch {
    return (this.ownBookkeeping ??= new ResourcePatch());
  }

  /** Replaces what the framework itself changes. */
  set bookkeeping(patch: ResourcePatch) {
    this.ownBookkeeping = patch;
  }

  /** Tells whether neither handlers nor the framework want anything to be changed. */
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

  /** Tells whether the operator has read the state itself, so that it is no event of the watch. */
  get isRead(): boolean {
    return this.event instanceof ReadEvent;
  }

  get isDeleted(): boolean {
    return this.event.type === 'DELETED';
  }

  /** Tells whether no other events of the object are to be expected. */
  get isLast(): boolean {
    return this.isDeleted || this.event instanceof LeftSelectorEvent;
  }

  /** Tells whether the object is known to be gone by now, by a later event or an answer of the API server, though it existed at this event. */
  get isObjectGone(): boolean {
    return !this.isDeleted && (this.memory.isGone || this.slot.isGone);
  }

  /** Tells whether handlers of changes must wait for a newer state, as they would be called for what is history. */
  get mustCatchUp(): boolean {
    const isAwaited = this.memory.consistencyDeadline !== undefined;
    return isAwaited && this.isOutdated && !this.isDeleted && !this.isRead;
  }

  /** Tells those who wait for all objects that were listed that this one is indexed, or cannot be. */
  noteIndexed(): void {
    this.scope.barrier?.indexed(this.key);
    this.scope.indexSource?.indexed(this.key);
  }
}
