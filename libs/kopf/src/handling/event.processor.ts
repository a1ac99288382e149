// handling: one event of one object, step by step, in one cycle: recall its memory, index it, detect what has changed, call handlers
// of events, match daemons and timers, decide on the finalizer, call handlers of changes, send one patch.
// Each step is a class; this one has their order. All of them work on the cycle that they are given.
// May import: whatever a step calls, up to watching; nothing that starts or wires the steps.

import type { ObjectReader } from '../client/api/object.reader.js';
import type { Indices } from '../contexts/indices.interface.js';
import { Reason } from '../contexts/reason.enum.js';
import { Throttler } from '../execution/throttler.js';
import type { KopfLogger } from '../common/logger.interface.js';
import type { KubeObject, WatchEvent } from '../objects/kube-object.interface.js';
import type { Resource } from '../resources/resource.interface.js';
import { anyPrematches } from '../registry/handler-selection.js';
import type { CauseOrigin } from '../contexts/object.cause.js';
import type { HandlerRegistry, ResourceHandlers } from '../registry/handler.registry.js';
import { WatchingCause } from '../contexts/watching.cause.js';
import type { KopfSettings } from '../settings/kopf.settings.js';
import { ResourcePatch } from '../objects/patches.js';
import { NOTHING_TO_WAIT_FOR, type BackgroundStep } from '../background/background.engine.js';
import type { BackgroundHandling } from './background.handling.js';
import type { ChangeDetector } from './change.detector.js';
import { NOTHING_HANDLED, type ChangeHandling, type HandlingStep } from './change.handling.js';
import { LeftSelectorEvent } from '../watching/left-selector.event.js';
import type { ReleaseHandling } from './release.handling.js';
import type { EventHandling } from './event.handling.js';
import type { FinalizerHandling } from './finalizer.handling.js';
import type { IndexHandling } from './index.handling.js';
import type { Inventory } from './inventory.js';
import type { ObjectMemory } from './object.memory.js';
import type { ObjectTurn } from '../watching/object.turn.js';
import type { PatchApplication, Retraction } from './patch.application.js';
import { ReadEvent } from './read.event.js';

/** Makes the logger of an object. */
export type CreateObjectLogger = (body: KubeObject) => KopfLogger;

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

/** What the steps of a cycle leave to be done at its end. */
interface CycleSteps extends BackgroundStep {
  readonly retract?: Retraction;
}

/** What the processing of events is made of, in the order of its use. */
export interface EventProcessorParts {
  readonly registry: HandlerRegistry;
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
  readonly reader: ObjectReader;
  readonly releaseHandling: ReleaseHandling;
  readonly loggerFor: CreateObjectLogger;
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
    const memory = inventory.recall(key, event.type === null);
    if (event.type === 'DELETED') inventory.forget(key);
    // Another operator can have been at work before the listing.
    if (event.type === null) memory.forgetProgress();
    memory.throttler ??= new Throttler(turn.clock, this.errorDelays);
    const handlers = registry.handlersOf(resource);
    for (let next: WatchEvent | undefined = event; next;) {
      const present: WatchEvent = next;
      const body = present.object;
      if (!(present instanceof ReadEvent) && !memory.isOutdated(body)) memory.catchUp();
      background.refresh(memory, present, handlers);
      const logger = loggerFor(body);
      const origin = { key, resource, event: present, body, memory, indices, handlers, turn, logger };
      if (memory.unsentFence && memory.unsentFence !== turn.fence) memory.unsent = undefined;
      next = await memory.throttler.run(
        () => this.processOccasion({ ...origin, patch: new ResourcePatch(memory.unsent) }, onIndexed),
        logger,
        turn,
        present.type === 'DELETED' || present instanceof LeftSelectorEvent,
      );
    }
    onIndexed();
  }

  /** Returns a newer state of the object if it is to be processed, too, although the watch has not told of it. */
  private async processOccasion(occasion: Occasion, onIndexed: () => void): Promise<ReadEvent | undefined> {
    const { event, turn, memory } = occasion;
    if (event instanceof LeftSelectorEvent) {
      await this.parts.releaseHandling.handle(occasion, event);
      return undefined;
    }
    if (!(event instanceof ReadEvent) && !(await this.parts.indexing.pass(occasion, onIndexed))) return undefined;
    // There will be a listing; but what was deleted is not listed any more.
    if (turn.isOutdated && event.type !== 'DELETED') return undefined;
    try {
      const end = await this.handle(occasion);
      if (event.type === 'DELETED' || end === 'superseded') return undefined;
      const isReadNeeded = end === 'outdated' || (await this.parts.application.apply({ ...occasion, ...end }));
      return isReadNeeded ? await this.read(occasion) : undefined;
    } finally {
      memory.background?.releasePatches();
    }
  }

  /** Reads the object as it is now. */
  private async read({ resource, body, memory, turn, logger }: Occasion): Promise<ReadEvent | undefined> {
    const { reader, settings } = this.parts;
    const found = await turn.withoutSlot(() => reader.read(resource, body.metadata, turn.signal));
    if (!found) {
      logger.debug('The object does not exist anymore, though the watch has not told so yet.');
      turn.isGone = memory.isGone = true;
      return undefined;
    }
    memory.expect(found, turn.clock.monotonic() + settings.persistence.consistencyTimeout * 1000);
    return new ReadEvent(found);
  }

  /** Calls what is to be called now. Returns what is to be waited for; or that the state is outdated, and whether newer events have come. */
  private async handle(occasion: Occasion): Promise<CycleSteps | 'outdated' | 'superseded'> {
    const { detector, events, finalizer, changes, settings } = this.parts;
    const { progressStorage } = settings.persistence;
    const { handlers, event, memory, patch, turn } = occasion;
    const hadRemains = !patch.isEmpty;
    const isOutdated = event.type !== 'DELETED' && !(event instanceof ReadEvent) && memory.isOutdated(event.object);
    // What runs for an object that has gone must stop, even if a filter fails for what is left of it.
    const released = event.type === 'DELETED' ? await this.handleBackground(occasion) : undefined;
    let change = handlers.changing.length > 0 ? detector.detect(event, handlers, memory, occasion) : undefined;

    if (handlers.watching.length > 0 && !(event instanceof ReadEvent)) {
      await events.handle(handlers.watching, new WatchingCause(occasion, event));
    }
    const waiting = released ?? (await this.handleBackground(occasion));

    // An object that no handler is for gets no marks and no log lines; those that it has from before are removed.
    if (change && !anyPrematches(handlers.changing, change)) {
      if (!isOutdated && change.reason !== Reason.GONE) changes.purgeLeftovers(handlers.owned, change, memory);
      change = undefined;
    }
    // Nothing of what could be done would be stored.
    if (memory.isGone && event.type !== 'DELETED') return waiting;
    // A cycle that adds or removes the finalizer is dedicated to it.
    if (!isOutdated && finalizer.adjust(occasion, change)) return waiting;
    memory.background?.releasePatches();
    if (turn.isOutdated) return waiting;
    if (isOutdated && (hadRemains || (change && patch.isEmpty))) {
      memory.keep(patch);
      return (await this.catchUp(occasion)) ? 'outdated' : 'superseded';
    }
    // If what remained turns out to be done already, there is no event of it: the handlers must be called without.
    if (change && hadRemains) return { ...waiting, delays: [0, ...waiting.delays] };
    if (change && isOutdated) return waiting;

    const step = change ? await changes.handle(handlers, change, memory) : NOTHING_HANDLED;
    const { retract } = step;
    const delays = this.concludeStep(occasion, waiting, step);
    // Nothing that is waited for needs the touch of an earlier cycle, and nothing else would take it away.
    const isIdle = delays.length === 0 && (!change || change.reason === Reason.NOOP);
    if (isIdle) progressStorage.touch(null, event.object, patch);
    return {
      delays,
      settled: waiting.settled,
      retract:
        retract && (async (...rejection) => void this.concludeStep(occasion, waiting, await retract(...rejection))),
    };
  }

  /** Removes the finalizer if nothing is left to wait for. Returns what is. */
  private concludeStep(occasion: Occasion, waiting: BackgroundStep, step: HandlingStep): readonly number[] {
    const delays = [...waiting.delays, ...step.delays];
    if (delays.length > 0) step.keep?.();
    else if (!step.holdsDeletion) this.parts.finalizer.release(occasion);
    return delays;
  }

  /**
   * Waits for the watch to come as far as the operator's own patches have.
   *
   * @returns whether the time is over and the watch has told of nothing newer. The handlers of changes are not called with
   *   the older state, as they would be called for what is history: the object is read instead.
   */
  private catchUp({ memory: { consistencyDeadline = 0 }, turn }: Occasion): Promise<boolean> {
    return turn.sleep((consistencyDeadline - turn.clock.monotonic()) / 1000);
  }

  private async handleBackground(occasion: Occasion): Promise<BackgroundStep> {
    return occasion.handlers.spawning.length > 0 ? this.parts.background.handle(occasion) : NOTHING_TO_WAIT_FOR;
  }
}
