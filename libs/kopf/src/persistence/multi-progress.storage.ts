import type { KubeObject } from '../interfaces/kube-object.interface.js';
import type { Patch } from '../interfaces/patch.interface.js';
import type { Essence, ProgressRecord, ProgressStorage } from '../interfaces/progress.interface.js';

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
  constructor(private readonly storages: readonly ProgressStorage[]) {}

  fetch(key: string, body: KubeObject): ProgressRecord | undefined {
    for (const storage of this.storages) {
      const record = storage.fetch(key, body);
      if (record) return record;
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

  clear(essence: Essence): Essence {
    return this.storages.reduce((rest, storage) => storage.clear(rest), essence);
  }
}
