import { Throttler } from '../execution/throttler.js';
import type { KopfLogger } from '../interfaces/logger.interface.js';
import type { KubeObject, WatchEvent } from '../interfaces/kube-object.interface.js';
import type { Resource } from '../interfaces/resource.interface.js';
import { allowDeletion, blockDeletion, isDeletionBlocked, isDeletionOngoing } from '../persistence/finalizers.js';
import type { ChangingCause } from '../registry/changing.cause.js';
import { anyPrematches, anyRequiresFinalizer } from '../registry/handler-selection.js';
import type { CauseOrigin } from '../registry/object.cause.js';
import type { KopfRegistry, ResourceHandlers } from '../registry/kopf.registry.js';
import { WatchingCause } from '../registry/watching.cause.js';
import { Reason } from '../enums/reason.enum.js';
import type { KopfSettings } from '../settings/kopf.settings.js';
import { ResourcePatch } from '../structs/patches.js';
import type { ChangeDetector } from './change.detector.js';
import type { ChangeHandling } from './change.handling.js';
import type { EventHandling } from './event.handling.js';
import type { Inventory } from './inventory.js';
import type { ObjectMemory } from './object.memory.js';
import type { ObjectTurn } from './object.turn.js';
import type { PatchApplication } from './patch.application.js';

/** Makes the logger of an object. */
export type ObjectLoggerFactory = (body: KubeObject) => KopfLogger;

/** One event with all that is known of its object. */
interface Occasion extends CauseOrigin {
  readonly event: WatchEvent;
  readonly handlers: ResourceHandlers;
  readonly memory: ObjectMemory;
  readonly patch: ResourcePatch;
  readonly turn: ObjectTurn;
}

/**
 * Processes the events of objects: recalls the object's memory, calls the handlers of events, decides on the finalizer,
 * waits for consistency, calls the handlers of changes, and sends all that they want in one patch.
 */
export class EventProcessor {
  constructor(
    private readonly registry: KopfRegistry,
    private readonly settings: KopfSettings,
    private readonly inventory: Inventory,
    private readonly detector: ChangeDetector,
    private readonly eventHandling: EventHandling,
    private readonly changeHandling: ChangeHandling,
    private readonly application: PatchApplication,
    private readonly loggerFor: ObjectLoggerFactory,
  ) {}

  /** Processes one event; errors are logged and throttle the object, they do not leave this method. */
  async process(resource: Resource, event: WatchEvent, key: string, turn: ObjectTurn): Promise<void> {
    const memory = this.inventory.recall(key, event.type === null);
    if (event.type === 'DELETED') this.inventory.forget(key);
    this.noteVersion(memory, event);
    memory.throttler ??= new Throttler(turn.clock, () => this.settings.queueing.errorDelays);
    const logger = this.loggerFor(event.object);
    await memory.throttler.run(() => this.processOccasion(resource, event, memory, turn, logger), logger, turn);
  }

  private async processOccasion(
    resource: Resource,
    event: WatchEvent,
    memory: ObjectMemory,
    turn: ObjectTurn,
    logger: KopfLogger,
  ): Promise<void> {
    const patch = new ResourcePatch(memory.remaining);
    const handlers = this.registry.handlersOf(resource);
    const occasion = { resource, event, body: event.object, memory, patch, handlers, turn, logger };
    const delays = await this.handle(occasion);
    if (event.type === 'DELETED') return;
    await this.application.apply({ resource, body: event.object, patch, delays, memory, turn, logger });
  }

  /** Calls what is to be called now. Returns the delays, in seconds, after which something else is due. */
  private async handle(occasion: Occasion): Promise<readonly number[]> {
    const { handlers, event, memory, patch, body, logger, turn } = occasion;
    const hadRemains = !patch.isEmpty;
    let change = handlers.changing.length > 0 ? this.detector.detect(event, handlers, memory, occasion) : undefined;

    if (handlers.watching.length > 0) {
      await this.eventHandling.handle(handlers.watching, new WatchingCause(occasion, event));
    }

    // An object that no handler is for gets no marks and no log lines.
    if (change && !anyPrematches(handlers.changing, change)) change = undefined;
    if (this.adjustFinalizer(occasion, change)) change = undefined;
    if (!change || !(await this.isConsistent(change, memory, patch, turn, hadRemains))) return [];

    const { delays, holdsDeletion } = await this.changeHandling.handle(handlers, change, memory);
    const isGoing = event.type !== 'DELETED' && isDeletionOngoing(body);
    if (isGoing && !holdsDeletion && isDeletionBlocked(body, this.settings.persistence.finalizer)) {
      logger.debug('Removing the finalizer, thus allowing the actual deletion.');
      patch.transform(allowDeletion(this.settings.persistence.finalizer));
    }
    return delays;
  }

  /** Adds or removes the finalizer. A cycle that does so is dedicated to it: returns whether the changes must wait. */
  private adjustFinalizer({ handlers, body, patch, logger }: Occasion, change: ChangingCause | undefined): boolean {
    const { finalizer } = this.settings.persistence;
    const isBlocked = isDeletionBlocked(body, finalizer);
    const mustBlock = change !== undefined && anyRequiresFinalizer(handlers.changing, change);
    if (mustBlock && !isBlocked && !isDeletionOngoing(body)) {
      logger.debug('Adding the finalizer, thus preventing the actual deletion.');
      patch.transform(blockDeletion(finalizer));
      return true;
    }
    if (!mustBlock && isBlocked) {
      logger.debug('Removing the finalizer, as there are no handlers requiring it.');
      patch.transform(allowDeletion(finalizer));
      return true;
    }
    return false;
  }

  /**
   * Whether the object is as the operator itself has left it, or at least nothing newer came in the time to wait.
   * Otherwise, handlers would be called for a state that is history already.
   */
  private async isConsistent(
    change: ChangingCause,
    memory: ObjectMemory,
    patch: ResourcePatch,
    turn: ObjectTurn,
    hadRemains: boolean,
  ): Promise<boolean> {
    const { consistencyDeadline } = memory;
    let consistent = consistencyDeadline === undefined || change.reason === Reason.GONE;
    if (!consistent && patch.isEmpty && consistencyDeadline !== undefined) {
      consistent = await turn.sleep((consistencyDeadline - turn.clock.monotonic()) / 1000);
    }
    return consistent && !hadRemains;
  }

  private noteVersion(memory: ObjectMemory, event: WatchEvent): void {
    if (memory.expectedVersion === undefined) return;
    if (memory.expectedVersion !== event.object.metadata.resourceVersion) return;
    memory.expectedVersion = undefined;
    memory.consistencyDeadline = undefined;
  }
}
