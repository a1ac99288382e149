import { StatusProgressStorage } from './status-progress.storage.js';

/** Reads and purges the progress in the status, but writes none: for the transition to another storage. */
export class FadingStatusProgressStorage extends StatusProgressStorage {
  override store(): void {}

  override touch(): void {}
}
