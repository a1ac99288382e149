import { Inject, Injectable } from '@nestjs/common';
import { NOTHING_TO_WAIT_FOR } from '../background/background.engine.js';
import { KopfSettings } from '../settings/kopf.settings.js';
import { isOlderVersion, type KubeObject } from '../objects/kube-object.js';
import type { UnconfirmedChanges } from '../objects/patch-content.js';
import { StopReason } from '../contexts/stop-flag.js';
import { allowDeletion, isDeletionBlocked } from '../state/finalizers.js';
import type { LeftSelectorEvent } from '../watching/left-selector.event.js';
import type { EventCycle } from './event.cycle.js';
import { PatchApplication } from './patch.application.js';
import { InjectOwn } from '../kopf.tokens.js';

/**
 * The release of objects that have left the selector: their daemons and timers are stopped, their memory is dropped, and the finalizer is
 * removed. No handlers are called, as none matches such objects.
 */
@Injectable()
export class ReleaseHandling {
  constructor(
    @Inject(PatchApplication) private readonly application: PatchApplication,
    @InjectOwn(KopfSettings) private readonly settings: KopfSettings,
  ) {}

  /** Releases the object as far as possible now, and settles the event with whether nothing is left to do. */
  async handle(cycle: EventCycle, leftEvent: LeftSelectorEvent): Promise<void> {
    let isDone = false;
    try {
      isDone = await this.release(cycle, leftEvent);
    } finally {
      leftEvent.settle(isDone);
    }
  }

  private async release(cycle: EventCycle, leftEvent: LeftSelectorEvent): Promise<boolean> {
    const { key, body, memory, patch, slot, logger, session } = cycle;
    const { delays, settled } = memory.background
      ? await session.background.release(memory.background, StopReason.FILTERS_MISMATCH)
      : NOTHING_TO_WAIT_FOR;
    const { finalizer, formerFinalizers } = this.settings.persistence;
    const isBlocked = isDeletionBlocked(body, finalizer, formerFinalizers);
    const { unconfirmed } = patch;
    if (isBlocked) logger.debug('Removing the finalizer, as the object is not selected any more.');
    // The unsent changes from before may add the finalizer.
    if (isBlocked || !patch.isEmpty) cycle.bookkeeping.transform(allowDeletion(finalizer, formerFinalizers));
    await this.application.apply(cycle, { delays: [] });
    if (delays.length > 0) {
      const enough = settled ? Promise.race([settled, leftEvent.outdated]) : leftEvent.outdated;
      await slot.sleep(Math.min(...delays), enough);
      return false;
    }
    // The object was read before the operator's own last patch, which may have added the finalizer even if its response was lost, so it has
    // to be read again.
    const isOutdated = cycle.isOutdated || !unconfirmed.every((changes) => isLaterThan(changes, body));
    const isLeft = memory.unsent !== undefined || memory.rejections.has('finalizer');
    if (isOutdated || isLeft || !slot.isLeading) return false;
    session.inventory.forget(key);
    return true;
  }
}

/** Whether the object shows the result of a patch whose response was lost: such a patch applied to one version only. */
function isLaterThan({ version = '' }: UnconfirmedChanges, { metadata }: KubeObject): boolean {
  return isOlderVersion(version, metadata.resourceVersion ?? '');
}
