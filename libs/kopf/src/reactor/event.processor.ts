import type { Indices } from '../interfaces/indices.interface.js';
import { Throttler } from '../execution/throttler.js';
import type { KopfLogger } from '../interfaces/logger.interface.js';
import type { KubeObject, WatchEvent } from '../interfaces/kube-object.interface.js';
import type { Resource } from '../interfaces/resource.interface.js';
import type { ChangingCause } from '../registry/changing.cause.js';
import { anyPrematches } from '../registry/handler-selection.js';
import type { CauseOrigin } from '../registry/object.cause.js';
import type { KopfRegistry, ResourceHandlers } from '../registry/kopf.registry.js';
import { WatchingCause } from '../registry/watching.cause.js';
import { Reason } from '../enums/reason.enum.js';
import type { KopfSettings } from '../settings/kopf.settings.js';
import { ResourcePatch } from '../structs/patches.js';
import { NOTHING_TO_WAIT_FOR, type BackgroundStep } from '../engines/daemons/background.engine.js';
import type { BackgroundHandling } from './background.handling.js';
import type { ChangeDetector } from './change.detector.js';
import { NOTHING_HANDLED, type ChangeHandling } from './change.handling.js';
import { Departure } from './departure.js';
import type { DepartureHandling } from './departure.handling.js';
import type { EventHandling } from './event.handling.js';
import type { FinalizerHandling } from './finalizer.handling.js';
import type { IndexHandling } from './index.handling.js';
import type { Inventory } from './inventory.js';
import type { ObjectMemory } from './object.memory.js';
import type { ObjectTurn } from './object.turn.js';
import type { PatchApplication } from './patch.application.js';

/** Makes the logger of an object. */
export type ObjectLoggerFactory = (body: KubeObject) => KopfLogger;

/** One event with all that is known of its object. */
export interface Occasion extends CauseOrigin {
  /** What identifies the object. */
  readonly key: string;
  readonly event: WatchEvent;
  readonly handlers: ResourceHandlers;
  readonly memory: ObjectMemory;
  readonly patch: ResourcePatch;
  readonly turn: ObjectTurn;
}

/** What the processing of events is made of, in the order of its use. */
export interface EventProcessorParts {
  readonly registry: KopfRegistry;
  readonly settings: KopfSettings;
  readonly inventory: Inventory;
  readonly indices: Indices;
  readonly indexing: IndexHandling;
  readonly detector: ChangeDetector;
  readonly events: EventHandling;
  readonly background: BackgroundHandling;
  readonly finalizer: FinalizerHandling;
  readonly changes: ChangeHandling;
  readonly application: PatchApplication;
  readonly departures: DepartureHandling;
  readonly loggerFor: ObjectLoggerFactory;
}

/**
 * Processes the events of objects: recalls the object's memory, keeps the indices, calls the handlers of events,
 * starts and stops daemons, decides on the finalizer, waits for consistency, calls the handlers of changes, and sends all that they want in one patch.
 */
export class EventProcessor {
  private readonly errorDelays = (): readonly number[] => this.parts.settings.queueing.errorDelays;

  constructor(private readonly parts: EventProcessorParts) {}

  /**
   * Processes one event; errors are logged and throttle the object, they do not leave this method.
   *
   * @param onIndexed called as soon as the object is in the indices, or cannot be.
   */
  async process(
    resource: Resource,
    event: WatchEvent,
    key: string,
    turn: ObjectTurn,
    onIndexed: () => void = () => undefined,
  ): Promise<void> {
    const { registry, inventory, indices, background, loggerFor } = this.parts;
    const body = event.object;
    const memory = inventory.recall(key, event.type === null);
    if (event.type === 'DELETED') inventory.forget(key);
    // Another operator can have been at work before the listing.
    if (event.type === null) memory.progress = undefined;
    this.noteVersion(memory, event);
    const handlers = registry.handlersOf(resource);
    background.refresh(memory, event, handlers);
    memory.throttler ??= new Throttler(turn.clock, this.errorDelays);
    const logger = loggerFor(body);
    const origin = { key, resource, event, body, memory, indices, handlers, turn, logger };
    await memory.throttler.run(
      () => this.processOccasion({ ...origin, patch: new ResourcePatch(memory.remaining) }, onIndexed),
      logger,
      turn,
      event.type === 'DELETED' || event instanceof Departure,
    );
    onIndexed();
  }

  private async processOccasion(occasion: Occasion, onIndexed: () => void): Promise<void> {
    if (occasion.event instanceof Departure) return this.parts.departures.handle(occasion, occasion.event);
    if (!(await this.parts.indexing.pass(occasion, onIndexed))) return;
    // There will be a listing; but what was deleted is not listed any more.
    if (occasion.turn.isOutdated && occasion.event.type !== 'DELETED') return;
    try {
      const { delays, settled } = await this.handle(occasion);
      if (occasion.event.type === 'DELETED') return;
      await this.parts.application.apply({ ...occasion, delays, settled });
    } finally {
      occasion.memory.background?.releasePatches();
    }
  }

  /** Calls what is to be called now. Returns what is to be waited for. */
  private async handle(occasion: Occasion): Promise<BackgroundStep> {
    const { detector, events, finalizer, changes } = this.parts;
    const { handlers, event, memory, patch, turn } = occasion;
    const hadRemains = !patch.isEmpty;
    // What runs for an object that has gone must stop, even if a filter fails for what is left of it.
    const released = event.type === 'DELETED' ? await this.handleBackground(occasion) : undefined;
    let change = handlers.changing.length > 0 ? detector.detect(event, handlers, memory, occasion) : undefined;

    if (handlers.watching.length > 0) {
      await events.handle(handlers.watching, new WatchingCause(occasion, event));
    }
    const waiting = released ?? (await this.handleBackground(occasion));

    // An object that no handler is for gets no marks and no log lines.
    if (change && !anyPrematches(handlers.changing, change)) change = undefined;
    // A cycle that adds or removes the finalizer is dedicated to it.
    if (finalizer.adjust(occasion, change)) return waiting;
    memory.background?.releasePatches();
    if (change && !(await this.isConsistent(change, memory, patch, turn, hadRemains))) {
      // If what remained turns out to be done already, there is no event of it: the handlers must be called without.
      return hadRemains ? { ...waiting, delays: [0, ...waiting.delays] } : waiting;
    }

    const step = change ? await changes.handle(handlers, change, memory) : NOTHING_HANDLED;
    const delays = [...waiting.delays, ...step.delays];
    if (!step.holdsDeletion && delays.length === 0) finalizer.release(occasion);
    return { delays, settled: waiting.settled };
  }

  private async handleBackground(occasion: Occasion): Promise<BackgroundStep> {
    return occasion.handlers.spawning.length > 0 ? this.parts.background.handle(occasion) : NOTHING_TO_WAIT_FOR;
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
    if (turn.isOutdated) return false;
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
