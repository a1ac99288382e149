import { allowDeletion, blockDeletion, isDeletionBlocked, isDeletionOngoing } from '../state/finalizers.js';
import type { ChangingCause } from '../contexts/changing.cause.js';
import { anyRequiresFinalizer, anySpawningRequiresFinalizer } from '../registry/handler-selection.js';
import { SpawningCause } from '../contexts/spawning.cause.js';
import type { KopfSettings } from '../settings/kopf.settings.js';
import type { Occasion } from './event.processor.js';

/** Decides whether objects are held by the finalizer, so that they do not go before everything for them is done. */
export class FinalizerHandling {
  constructor(private readonly settings: KopfSettings) {}

  /** Adds or removes the finalizer, as there are handlers that need it or not; returns whether it does. */
  adjust(occasion: Occasion, change: ChangingCause | undefined): boolean {
    const { body, patch, logger } = occasion;
    const isBlocked = isDeletionBlocked(body, this.name);
    const mustBlock = this.isRequired(occasion, change);
    if (mustBlock && !isBlocked && !isDeletionOngoing(body)) {
      logger.debug('Adding the finalizer, thus preventing the actual deletion.');
      patch.transform(blockDeletion(this.name));
      return true;
    }
    if (!mustBlock && isBlocked) {
      logger.debug('Removing the finalizer, as there are no handlers requiring it.');
      patch.transform(allowDeletion(this.name));
      return true;
    }
    return false;
  }

  /** Removes the finalizer from an object that is being deleted. */
  release({ event, body, patch, logger }: Occasion): void {
    if (event.type === 'DELETED' || !isDeletionOngoing(body) || !isDeletionBlocked(body, this.name)) return;
    logger.debug('Removing the finalizer, thus allowing the actual deletion.');
    patch.transform(allowDeletion(this.name));
  }

  private isRequired(occasion: Occasion, change: ChangingCause | undefined): boolean {
    const { changing, spawning } = occasion.handlers;
    if (change && anyRequiresFinalizer(changing, change)) return true;
    if (spawning.length === 0) return false;
    const { background } = occasion.memory;
    return anySpawningRequiresFinalizer(spawning, new SpawningCause(occasion), background?.foreverStopped);
  }

  private get name(): string {
    return this.settings.persistence.finalizer;
  }
}
