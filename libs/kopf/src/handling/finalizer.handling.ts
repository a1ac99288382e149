import { Inject, Injectable } from '@nestjs/common';
import { allowDeletion, blockDeletion, isDeletionBlocked, isDeletionOngoing } from '../state/finalizers.js';
import type { ChangingCause } from '../contexts/changing.cause.js';
import { anyRequiresFinalizer, anySpawningRequiresFinalizer } from '../registry/handler-selection.js';
import { SpawningCause } from '../contexts/object.causes.js';
import { KopfSettings } from '../settings/kopf.settings.js';
import type { EventCycle } from './event.cycle.js';

/** Decides whether objects are held by the finalizer, so that they do not go before everything for them is done. */
@Injectable()
export class FinalizerHandling {
  constructor(@Inject(KopfSettings) private readonly settings: KopfSettings) {}

  /** Adds or removes the finalizer, as there are handlers that need it or not; returns whether it does. */
  adjust(cycle: EventCycle, change: ChangingCause | undefined): boolean {
    const { body, logger } = cycle;
    const isBlocked = isDeletionBlocked(body, this.name);
    const mustBlock = this.isRequired(cycle, change);
    if (mustBlock && !isBlocked && !isDeletionOngoing(body)) {
      logger.debug('Adding the finalizer, thus preventing the actual deletion.');
      cycle.bookkeeping.transform(blockDeletion(this.name));
      return true;
    }
    if (!mustBlock && isBlocked) {
      logger.debug('Removing the finalizer, as there are no handlers requiring it.');
      cycle.bookkeeping.transform(allowDeletion(this.name));
      return true;
    }
    return false;
  }

  /** Removes the finalizer from an object that is being deleted. */
  release(cycle: EventCycle): void {
    const { body, logger } = cycle;
    if (cycle.isDeleted || !isDeletionOngoing(body) || !isDeletionBlocked(body, this.name)) return;
    logger.debug('Removing the finalizer, thus allowing the actual deletion.');
    cycle.bookkeeping.transform(allowDeletion(this.name));
  }

  private isRequired(cycle: EventCycle, change: ChangingCause | undefined): boolean {
    const { changing, spawning } = cycle.handlers;
    const { background } = cycle.memory;
    const isNeededByChanges = change !== undefined && anyRequiresFinalizer(changing, change);
    if (background) background.holdsAlone = !isNeededByChanges;
    if (isNeededByChanges || spawning.length === 0) return isNeededByChanges;
    return anySpawningRequiresFinalizer(spawning, new SpawningCause(cycle), background?.foreverStopped);
  }

  private get name(): string {
    return this.settings.persistence.finalizer;
  }
}
