import { AnnotationsProgressStorage } from './annotations-progress.storage.js';
import type { AnnotationsProgressStorageOptions } from './annotations-progress.storage.js';
import { FadingStatusProgressStorage } from './fading-status-progress.storage.js';
import { MultiProgressStorage } from './multi-progress.storage.js';
import type { StatusProgressStorageOptions } from './status-progress.storage.js';

/** Options of {@link SmartProgressStorage}: those of both its storages. */
export interface SmartProgressStorageOptions extends AnnotationsProgressStorageOptions, StatusProgressStorageOptions {}

/**
 * Keeps the progress in annotations. What earlier versions of Kopf left in the status is read and purged.
 * The default storage.
 */
export class SmartProgressStorage extends MultiProgressStorage {
  /** @throws TypeError if the prefix is empty, or a field is not inside of the status. */
  constructor(options: SmartProgressStorageOptions = {}) {
    super([new AnnotationsProgressStorage(options), new FadingStatusProgressStorage(options)]);
  }
}
