import type { KubeObject } from '../objects/kube-object.js';
import type { Patch } from '../objects/patches.js';
import type { FieldPath } from '../objects/field-path.js';
import type { Essence } from '../objects/essences.js';
import type { ProgressRecord, ProgressStorage } from './storages.js';
import { StatusProgressStorage, type StatusProgressStorageOptions } from './status-progress.storage.js';
import { AnnotationsProgressStorage, type AnnotationsProgressStorageOptions } from './annotations-progress.storage.js';

/**
 * The storage of the progress in several storages: it is written to all of them, and read from the first one that has it. It serves the
 * transition from one storage to another.
 *
 * @example
 * settings.persistence.progressStorage = new MultiProgressStorage([
 *   new AnnotationsProgressStorage({ prefix: 'new.example.com' }),
 *   new StatusProgressStorage({ name: 'old' }),
 * ]);
 */
export class MultiProgressStorage implements ProgressStorage {
  /** @param storages the storages, in the order of reading */
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

/**
 * Adds the sub-handlers that only one of two storages knows, so that their records are removed, too: the storages may be written by two
 * requests, one of which has failed.
 */
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

/** The storage that reads and removes progress in the status, and writes none. It serves the transition to another storage. */
export class FadingStatusProgressStorage extends StatusProgressStorage {
  override store(): void {}

  override touch(): void {}
}

/** The options of {@link SmartProgressStorage}: those of both its storages. */
export interface SmartProgressStorageOptions extends AnnotationsProgressStorageOptions, StatusProgressStorageOptions {}

/**
 * The storage of the progress in annotations that also reads and removes progress in the status, which earlier versions of Kopf have
 * written. The default storage.
 */
export class SmartProgressStorage extends MultiProgressStorage {
  /** @throws TypeError if the prefix is empty, or a field is not in the status. */
  constructor(options: SmartProgressStorageOptions = {}) {
    super([new AnnotationsProgressStorage(options), new FadingStatusProgressStorage(options)]);
  }
}
