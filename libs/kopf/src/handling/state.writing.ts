import { Injectable } from '@nestjs/common';
import { applyMergePatch } from 'kube-common';
import type { KubeObject } from '../objects/kube-object.js';
import { ResourcePatch } from '../objects/patches.js';
import { KopfSettings } from '../settings/kopf.settings.js';
import { EssenceTooLargeError, type ProgressRecord } from '../state/storages.js';
import type { EventCycle } from './event.cycle.js';
import { InjectOwn } from '../kopf.tokens.js';

/**
 * The writer of the state of an object: it compares the memory of the object with the object, and adds the state that is not stored to the
 * bookkeeping of the cycle.
 */
@Injectable()
export class StateWriting {
  constructor(@InjectOwn(KopfSettings) private readonly settings: KopfSettings) {}

  /** Adds the state to the framework's own changes. */
  write(cycle: EventCycle): void {
    const { memory, body } = cycle;
    const { progressStorage, diffbaseStorage } = this.settings.persistence;
    let hasRecords = false;
    for (const [id, record] of memory.recordChanges ?? []) {
      hasRecords ||= record !== null;
      if (record) progressStorage.store(id, record, body, cycle.bookkeeping);
      else progressStorage.purge(id, this.withKnown(id, cycle), cycle.bookkeeping);
    }
    if (hasRecords) diffbaseStorage.claim?.(body, cycle.bookkeeping);
    if (memory.isMarked) progressStorage.mark?.(body, cycle.bookkeeping);
    this.writeEssence(cycle);
  }

  /** Whether a patched object has the state that was sent. */
  isKept({ memory }: EventCycle, patched: KubeObject): boolean {
    const { progressStorage, diffbaseStorage } = this.settings.persistence;
    for (const [id, record] of memory.recordChanges ?? []) {
      if (record && !progressStorage.fetch(id, patched)) return false;
    }
    return memory.unstoredEssence === undefined || diffbaseStorage.fetch(patched) !== undefined;
  }

  private writeEssence({ memory, body, bookkeeping, logger, session }: EventCycle): void {
    const essence = memory.unstoredEssence;
    if (essence === undefined) return;
    try {
      this.settings.persistence.diffbaseStorage.store(body, bookkeeping, essence);
    } catch (error) {
      if (!(error instanceof EssenceTooLargeError)) throw error;
      logger.error(`The object is handled, but this cannot be remembered: ${error.message}`);
      session.events.post(body, { type: 'Error', reason: 'EssenceTooLarge', message: error.message });
      memory.essence.keepUnstorable(essence);
    }
  }

  /**
   * Returns the object with the record that it should have by now, even if the event does not show it yet: storages remove only records that
   * they find on the object.
   */
  private withKnown(id: string, { memory, body }: EventCycle): KubeObject {
    const { progressStorage } = this.settings.persistence;
    const known: ProgressRecord | undefined = memory.progress.expected(id);
    if (!known || progressStorage.fetch(id, body)) return body;
    const stored = new ResourcePatch();
    progressStorage.store(id, known, body, stored);
    return applyMergePatch(body, stored.toMergePatch() ?? {}) as KubeObject;
  }
}
