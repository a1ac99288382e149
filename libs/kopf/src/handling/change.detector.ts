import { Injectable } from '@nestjs/common';
import { KopfSettings } from '../settings/kopf.settings.js';
import { ChangingCause } from '../contexts/changing.cause.js';
import { diff } from '../objects/diffs.js';
import { compareEssences, isHashedEssence } from '../state/essence-hashes.js';
import type { Essence } from '../objects/essences.js';
import { presentEssence, withoutState } from '../state/storages.js';
import type { EventCycle } from './event.cycle.js';
import { detectReason } from './reason-detection.js';
import { InjectOwn } from '../kopf.tokens.js';

/** The detection of what has changed in an object since it was handled last, by its stored essence. */
@Injectable()
export class ChangeDetector {
  constructor(@InjectOwn(KopfSettings) private readonly settings: KopfSettings) {}

  detect(cycle: EventCycle): ChangingCause {
    const { persistence } = this.settings;
    const { diffbaseStorage, finalizer, formerFinalizers } = persistence;
    const { body, event, handlers, memory } = cycle;
    memory.beginChanges();
    const stored = this.findStored(diffbaseStorage.fetch(body), cycle);
    const before = stored && withoutState(stored, handlers.extraFields, persistence);
    const after = presentEssence(body, handlers.extraFields, persistence);
    const changes = before ? compareEssences(before, after) : diff(undefined, after);
    const isInitial = memory.noticedByListing && !memory.fullyHandledOnce;
    const isHandled = before !== undefined;
    const evidence = { event, finalizer, formerFinalizers, isHandled, diff: changes, initial: isInitial };
    const { reason, initial } = detectReason(evidence);
    // If only a hash of the old essence is stored, handlers cannot be shown the old state.
    const unchanged = changes.length === 0 ? after : undefined;
    const old = before && isHashedEssence(before) ? unchanged : before;
    return new ChangingCause(cycle, { reason, initial, old, new: after, diff: changes });
  }

  /** Returns the essence that was handled last: that of the object, unless the memory has a more reliable one. */
  private findStored(found: Essence | undefined, cycle: EventCycle): Essence | undefined {
    const { essence } = cycle.memory;
    if (essence.isOutOfDate) return essence.recalled;
    // If the deletion was missed, the event has no state of the object, so the essence does not count as removed.
    if (cycle.isDeleted) return found;
    if (found === undefined) return recall(cycle);
    // A newer state may have another essence than an outdated one, or none.
    if (!cycle.isOutdated) essence.noteFound(found, this.settings.persistence.lostEssence === 'recall');
    return found;
  }
}

/** Returns the essence from memory, if it was stored before and the object does not have it any more. */
function recall({ memory: { essence }, isOutdated, logger }: EventCycle): Essence | undefined {
  if (!essence.isExpected) return undefined;
  // An outdated state may be older than the patch that has stored the essence.
  if (!isOutdated && essence.noteLoss()) {
    const isRecalled = essence.recalled !== undefined;
    const consequence = isRecalled ? 'It is recalled from memory.' : 'The object is handled as created once more.';
    logger.warn(`Another client has removed the last handled configuration from the object. ${consequence}`);
  }
  return essence.recalled;
}
