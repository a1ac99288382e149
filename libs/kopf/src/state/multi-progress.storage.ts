import type { KubeObject } from '../objects/kube-object.js';
import type { Patch } from '../objects/patches.js';
import type { FieldPath } from '../objects/field-path.js';
import type { Essence } from '../objects/essences.js';
import type { ProgressRecord, ProgressStorage } from './storages.js';
import { StatusProgressStorage, type StatusProgressStorageOptions } from './status-progress.storage.js';
import { AnnotationsProgressStorage, type AnnotationsProgressStorageOptions } from './annotations-progress.storage.js';

/**
 * Keeps the progress in several storages at once: written to all, read from the first one that has it.
 * Meant for the transition from one storage to another.
 *
 * @example
 * settings.persistence.progressStorage = new MultiProgressStorage([
 *   new AnnotationsProgressStorage({ prefix: 'new.example.com' }),
 *   new StatusProgressStorage({ name: 'old' }),
 * ]);
 */
export class MultiProgressStorage implements ProgressStorage {
  /** @param storages the one that is read first comes first */
  constructor(readonly storages: readonly ProgressStorage[]) {}

  fetch(key: string, body: KubeObject): ProgressRecord | undefined {
    const { storages } = this;
    for (let index = 0; index < storages.length; index++) {
      const record = storages[index].fetch(key, body);
      if (record) return withSubrefs(record, key, body, storages.slice(index + 1));
    }
    return undefined;
  }

  store(key: string, record: ProgressRecord, body: KubeObject, patch: Patch): void {
    for (const storage of this.storages) storage.store(key, record, body, patch);
  }

  purge(key: string, body: KubeObject, patch: Patch): void {
    for (const storage of this.storages) storage.purge(key, body, patch);
  }

  mark(body: KubeObject, patch: Patch): void {
    for (const storage of this.storages) storage.mark?.(body, patch);
  }

  touch(value: string | null, body: KubeObject, patch: Patch): void {
    for (const storage of this.storages) storage.touch(value, body, patch);
  }

  ownFields(body: KubeObject): readonly FieldPath[] {
    return this.storages.flatMap((storage) => storage.ownFields?.(body) ?? []);
  }

  clear(essence: Essence): Essence {
    return this.storages.reduce((rest, storage) => storage.clear(rest), essence);
  }
}

/** Two storages can be written by two requests, so that one of them has newer sub-handlers, whose records must be removed, too. */
function withSubrefs(
  record: ProgressRecord,
  key: string,
  body: KubeObject,
  others: readonly ProgressStorage[],
): ProgressRecord {
  const known = record.subrefs ?? [];
  const found = others.flatMap((storage) => storage.fetch(key, body)?.subrefs ?? []);
  const more = found.filter((id) => !known.includes(id));
  return more.length > 0 ? { ...record, subrefs: [...new Set([...known, ...more])].sort() } : record;
}

/** Reads and purges the progress in the status, but writes none: for the transition to another storage. */
export class FadingStatusProgressStorage extends StatusProgressStorage {
  override store(): void {}

  override touch(): void {}
}

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
