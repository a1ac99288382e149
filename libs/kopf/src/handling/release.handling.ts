import { NOTHING_TO_WAIT_FOR, type BackgroundEngine } from '../background/background.engine.js';
import type { ObjectIndexing } from '../indexing/object.indexing.js';
import { StopReason } from '../contexts/stop-reason.enum.js';
import { allowDeletion, isDeletionBlocked } from '../state/finalizers.js';
import type { KopfSettings } from '../settings/kopf.settings.js';
import type { LeftSelectorEvent } from '../watching/left-selector.event.js';
import type { Occasion } from './event.processor.js';
import type { Inventory } from './inventory.js';
import type { PatchApplication } from './patch.application.js';

/** What objects are let go with. */
export interface ReleaseHandlingParts {
  readonly indexing: ObjectIndexing;
  readonly engine: BackgroundEngine;
  readonly application: PatchApplication;
  readonly inventory: Inventory;
  readonly settings: KopfSettings;
}

/**
 * Lets objects go that are not selected any more: nothing runs for them, nothing is remembered of them, and nothing holds them.
 * No handlers are called, as none is for such objects.
 */
export class ReleaseHandling {
  constructor(private readonly parts: ReleaseHandlingParts) {}

  /** Does what can be done now, and tells the departure whether this was all. */
  async handle(occasion: Occasion, leftEvent: LeftSelectorEvent): Promise<void> {
    let isDone = false;
    try {
      isDone = await this.release(occasion, leftEvent);
    } finally {
      leftEvent.settle(isDone);
    }
  }

  private async release(occasion: Occasion, leftEvent: LeftSelectorEvent): Promise<boolean> {
    const { indexing, engine, application, inventory, settings } = this.parts;
    const { handlers, key, body, memory, patch, turn, logger } = occasion;
    indexing.discard(handlers.indexing, key);
    const { delays, settled } = memory.background
      ? await engine.release(memory.background, StopReason.FILTERS_MISMATCH)
      : NOTHING_TO_WAIT_FOR;
    const { finalizer } = settings.persistence;
    if (isDeletionBlocked(body, finalizer))
      logger.debug('Removing the finalizer, as the object is not selected any more.');
    // What could not be sent before may add the finalizer.
    if (isDeletionBlocked(body, finalizer) || !patch.isEmpty) patch.transform(allowDeletion(finalizer));
    await application.apply({ ...occasion, delays: [] });
    if (delays.length > 0) {
      const enough = settled ? Promise.race([settled, leftEvent.outdated]) : leftEvent.outdated;
      await turn.sleep(Math.min(...delays), enough);
      return false;
    }
    if (memory.unsent !== undefined || !turn.isCovered) return false;
    inventory.forget(key);
    return true;
  }
}
