import type { KubeObject } from '../objects/kube-object.js';
import type { Patch } from '../objects/patches.js';
import { type Essence, buildEssence } from '../objects/essences.js';
import type { DiffBaseStorage } from './storages.js';
import type { FieldPath } from '../objects/field-path.js';

/**
 * The storage of the last handled essence in several storages: it is written to all of them, and read from the first one that has it. It
 * serves the transition from one storage to another.
 *
 * @example
 * settings.persistence.diffbaseStorage = new MultiDiffBaseStorage([
 *   new AnnotationsDiffBaseStorage({ prefix: 'new.example.com' }),
 *   new StatusDiffBaseStorage(),
 * ]);
 */
export class MultiDiffBaseStorage implements DiffBaseStorage {
  constructor(private readonly storages: readonly DiffBaseStorage[]) {}

  /** `hash` if one of the storages replaces an essence that does not fit by its hash. */
  get oversize(): 'error' | 'hash' {
    return this.storages.some((storage) => (storage as { oversize?: unknown }).oversize === 'hash') ? 'hash' : 'error';
  }

  build(body: KubeObject, extraFields: readonly FieldPath[]): Essence {
    // Each storage removes its own fields from the essence that the previous one has built.
    const essence = buildEssence(body, extraFields);
    return this.storages.reduce((rest, storage) => storage.build(rest as unknown as KubeObject, extraFields), essence);
  }

  fetch(body: KubeObject): Essence | undefined {
    for (const storage of this.storages) {
      const essence = storage.fetch(body);
      if (essence) return essence;
    }
    return undefined;
  }

  store(body: KubeObject, patch: Patch, essence: Essence): void {
    for (const storage of this.storages) storage.store(body, patch, essence);
  }

  conceal(essence: Essence, body: KubeObject): Essence {
    return this.storages.reduce((concealed, storage) => storage.conceal?.(concealed, body) ?? concealed, essence);
  }

  reveal(essence: Essence, body: KubeObject): Essence {
    return this.storages.reduce((revealed, storage) => storage.reveal?.(revealed, body) ?? revealed, essence);
  }

  ownFields(body: KubeObject): readonly FieldPath[] {
    return this.storages.flatMap((storage) => storage.ownFields?.(body) ?? []);
  }

  isCopied(body: KubeObject): boolean {
    return this.storages.some((storage) => storage.isCopied?.(body));
  }

  migrate(body: KubeObject, patch: Patch): void {
    for (const storage of this.storages) storage.migrate?.(body, patch);
  }

  claim(body: KubeObject, patch: Patch): void {
    for (const storage of this.storages) storage.claim?.(body, patch);
  }
}
