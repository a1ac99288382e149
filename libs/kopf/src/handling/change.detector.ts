import { Inject, Injectable } from '@nestjs/common';
import { KopfSettings } from '../settings/kopf.settings.js';
import { ChangingCause } from '../contexts/changing.cause.js';
import { diff } from '../objects/diffs.js';
import { compareEssences, isHashedEssence } from '../state/essence-hashes.js';
import type { Essence } from '../objects/essences.js';
import { presentEssence, withoutState } from '../state/storages.js';
import type { EventCycle } from './event.cycle.js';
import { detectReason } from './reason-detection.js';

/** Finds out what has happened to an object since it was handled last, by its stored essence. */
@Injectable()
export class ChangeDetector {
  constructor(@Inject(KopfSettings) private readonly settings: KopfSettings) {}

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
    // Of a hash, handlers can be told only that it is another one.
    const unchanged = changes.length === 0 ? after : undefined;
    const old = before && isHashedEssence(before) ? unchanged : before;
    return new ChangingCause(cycle, { reason, initial, old, new: after, diff: changes });
  }

  /** The essence that was handled last: the one of the object, unless this is not to be relied on. */
  private findStored(found: Essence | undefined, cycle: EventCycle): Essence | undefined {
    const { essence } = cycle.memory;
    if (essence.isOutOfDate) return essence.recalled;
    // Of what has vanished unseen nothing is known, so nothing is missing.
    if (cycle.isDeleted) return found;
    if (found === undefined) return recall(cycle);
    // What an older state shows may have been replaced, or taken back.
    if (!cycle.isOutdated) essence.noteFound(found, this.settings.persistence.lostEssence === 'recall');
    return found;
  }
}

/** Handles the case that an essence was stored before, but is not there any more. */
function recall({ memory: { essence }, isOutdated, logger }: EventCycle): Essence | undefined {
  if (!essence.isExpected) return undefined;
  // The object can be older than the operator's own patch.
  if (!isOutdated && essence.noteLoss()) {
    const isRecalled = essence.recalled !== undefined;
    const consequence = isRecalled ? 'It is recalled from memory.' : 'The object is handled as created once more.';
    logger.warn(`Somebody has removed the last handled configuration from the object. ${consequence}`);
  }
  return essence.recalled;
}
