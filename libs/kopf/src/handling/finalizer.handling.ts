import { Injectable } from '@nestjs/common';
import {
  allowDeletion,
  blockDeletion,
  hasFormerFinalizer,
  isDeletionBlocked,
  isDeletionOngoing,
} from '../state/finalizers.js';
import type { ChangingCause } from '../contexts/changing.cause.js';
import { anyRequiresFinalizer, anySpawningRequiresFinalizer } from '../registry/handler-selection.js';
import { SpawningCause } from '../contexts/object.causes.js';
import { KopfSettings } from '../settings/kopf.settings.js';
import type { EventCycle } from './event.cycle.js';
import type { ConcludingCycle } from './handler.changes.js';
import { InjectOwn } from '../kopf.tokens.js';

/** The step that decides whether objects have the finalizer, by which they are not deleted before their handlers are done. */
@Injectable()
export class FinalizerHandling {
  constructor(@InjectOwn(KopfSettings) private readonly settings: KopfSettings) {}

  /** Adds the finalizer if a handler needs it, and removes it if none does. Returns whether it is added or removed. */
  adjust(cycle: EventCycle, change: ChangingCause | undefined): boolean {
    const { body, bookkeeping, logger } = cycle;
    const { finalizer, formerFinalizers } = this.settings.persistence;
    const mustBlock = this.isRequired(cycle, change);
    if (mustBlock && !isDeletionOngoing(body)) {
      const isFormer = hasFormerFinalizer(body, formerFinalizers);
      if (!isFormer && isDeletionBlocked(body, finalizer)) return false;
      if (isFormer) logger.debug('Replacing a former name of the finalizer.');
      else logger.debug('Adding the finalizer, thus preventing the actual deletion.');
      bookkeeping.transform(blockDeletion(finalizer, formerFinalizers));
      return true;
    }
    if (!mustBlock && isDeletionBlocked(body, finalizer, formerFinalizers)) {
      logger.debug('Removing the finalizer, as there are no handlers requiring it.');
      bookkeeping.transform(allowDeletion(finalizer, formerFinalizers));
      return true;
    }
    return false;
  }

  /** Removes the finalizer from an object that is being deleted. */
  release({ body, bookkeeping, isDeleted, logger }: ConcludingCycle): void {
    const { finalizer, formerFinalizers } = this.settings.persistence;
    if (isDeleted || !isDeletionOngoing(body) || !isDeletionBlocked(body, finalizer, formerFinalizers)) return;
    logger.debug('Removing the finalizer, thus allowing the actual deletion.');
    bookkeeping.transform(allowDeletion(finalizer, formerFinalizers));
  }

  private isRequired(cycle: EventCycle, change: ChangingCause | undefined): boolean {
    const { changing, spawning } = cycle.handlers;
    const { background } = cycle.memory;
    const isNeededByChanges = change !== undefined && anyRequiresFinalizer(changing, change);
    if (background) background.holdsAlone = !isNeededByChanges;
    if (isNeededByChanges || spawning.length === 0) return isNeededByChanges;
    return anySpawningRequiresFinalizer(spawning, new SpawningCause(cycle), background?.foreverStopped);
  }
}
