import type { WatchEvent } from '../objects/kube-object.interface.js';
import type { Essence } from '../objects/essences.js';
import { compareEssences, isHashedEssence } from '../state/essence-hashes.js';
import { ChangingCause } from '../contexts/changing.cause.js';
import type { ResourceHandlers } from '../registry/handler.registry.js';
import type { CauseOrigin } from '../contexts/object.cause.js';
import { detectReason } from './reason-detection.js';
import { diff } from '../objects/diffs.js';
import type { KopfSettings } from '../settings/kopf.settings.js';
import type { ObjectMemory } from './object.memory.js';

/** Finds out what has happened to an object since it was handled last, by its stored essence. */
export class ChangeDetector {
  constructor(private readonly settings: KopfSettings) {}

  detect(event: WatchEvent, handlers: ResourceHandlers, memory: ObjectMemory, origin: CauseOrigin): ChangingCause {
    const { diffbaseStorage, progressStorage, finalizer } = this.settings.persistence;
    const { body } = origin;
    memory.sentEssence = undefined;
    memory.sentProgress = undefined;
    const stored = this.findStored(diffbaseStorage.fetch(body), memory, event, origin);
    const before = stored && progressStorage.clear(stored);
    const after = progressStorage.clear(diffbaseStorage.build(body, handlers.extraFields));
    const changes = before ? compareEssences(before, after) : diff(undefined, after);
    const initial = memory.noticedByListing && !memory.fullyHandledOnce;
    const detected = detectReason({ event, finalizer, isHandled: before !== undefined, diff: changes, initial });
    // Of a hash, handlers can be told only that it is another one.
    const unchanged = changes.length === 0 ? after : undefined;
    const old = before && isHashedEssence(before) ? unchanged : before;
    return new ChangingCause(origin, { ...detected, old, new: after, diff: changes });
  }

  private findStored(
    found: Essence | undefined,
    memory: ObjectMemory,
    event: WatchEvent,
    origin: CauseOrigin,
  ): Essence | undefined {
    if (memory.essenceUnstorable) return memory.essence;
    // Of what has vanished unseen nothing is known, so nothing is missing.
    if (event.type === 'DELETED') return found;
    if (found === undefined) return recall(memory, origin);
    memory.essenceStored = true;
    if (this.settings.persistence.lostEssence === 'recall') memory.essence = found;
    return found;
  }
}

/** Handles the case that an essence was stored before, but is not there any more. */
function recall(memory: ObjectMemory, { body, logger }: CauseOrigin): Essence | undefined {
  if (!memory.essenceStored) return undefined;
  const isRecalled = memory.essence !== undefined;
  // The object can be older than the operator's own patch.
  if (!memory.lossReported && !memory.isOutdated(body)) {
    const consequence = isRecalled ? 'It is recalled from memory.' : 'The object is handled as created once more.';
    logger.warn(`Somebody has removed the last handled configuration from the object. ${consequence}`);
    memory.lossReported = true;
  }
  return memory.essence;
}
