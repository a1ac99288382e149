/**
 * The storages of the operator's state on objects: progress and diff bases, with their options.
 *
 * @module nestjs-kopf/storages
 */

export { AnnotationsDiffBaseStorage, type AnnotationsDiffBaseStorageOptions } from './annotations-diffbase.storage.js';
export { AnnotationsProgressStorage, type AnnotationsProgressStorageOptions } from './annotations-progress.storage.js';
export type {
  AnnotationsStorageOptions,
  StatusStorageOptions,
  WarningCallback,
  DiffBaseStorage,
  HandlingPurpose,
  ProgressRecord,
  ProgressStorage,
} from './storages.js';
export {
  DigestDiffBaseStorage,
  type DigestDiffBaseStorageOptions,
  type DigestedFields,
} from './digest-diffbase.storage.js';
export { MultiDiffBaseStorage } from './multi-diffbase.storage.js';
export {
  MultiProgressStorage,
  SmartProgressStorage,
  type SmartProgressStorageOptions,
} from './multi-progress.storage.js';
export { StatusDiffBaseStorage, type StatusDiffBaseStorageOptions } from './status-diffbase.storage.js';
export { StatusProgressStorage, type StatusProgressStorageOptions } from './status-progress.storage.js';
