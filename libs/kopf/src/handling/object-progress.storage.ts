import type { KopfLogger } from '../common/logger.interface.js';
import type { KubeObject } from '../objects/kube-object.interface.js';
import type { Patch } from '../objects/patch.interface.js';
import type { Essence } from '../objects/essences.js';
import type { ProgressRecord, ProgressStorage } from '../state/progress.interface.js';
import { applyMergePatch } from '../objects/merge-patch.js';
import { ResourcePatch } from '../objects/patches.js';
import { parseTimestamp } from '../common/timestamps.js';
import type { ObjectMemory } from './object.memory.js';

/** How the progress of an object is read. */
export interface ObjectProgressOptions {
  /** Whether records that somebody has removed are recalled from memory. */
  readonly recalls: boolean;
  /** Whether the records are another object's, of which this one is a copy: they do not count. */
  readonly isCopied: boolean;
}

/** The progress of one object in one cycle: kept by the operator's storage, and remembered, to notice when somebody removes it there. */
export class ObjectProgressStorage implements ProgressStorage {
  constructor(
    private readonly storage: ProgressStorage,
    private readonly memory: ObjectMemory,
    private readonly options: ObjectProgressOptions,
    private readonly logger: KopfLogger,
  ) {}

  fetch(key: string, body: KubeObject): ProgressRecord | undefined {
    const stored = this.options.isCopied ? undefined : this.fetchPresent(key, body);
    const remembered = this.memory.progress?.get(key);
    if (stored || !remembered) return stored;
    this.reportLoss();
    return this.options.recalls ? remembered : undefined;
  }

  store(key: string, record: ProgressRecord, body: KubeObject, patch: Patch): void {
    (this.memory.sentProgress ??= new Map()).set(key, record);
    this.storage.store(key, record, body, patch);
  }

  purge(key: string, body: KubeObject, patch: Patch): void {
    const { progress, sentProgress } = this.memory;
    sentProgress?.delete(key);
    const remembered = progress?.get(key);
    if (progress?.delete(key) && progress.size === 0) this.memory.progress = undefined;
    const isUnseen = remembered && !this.storage.fetch(key, body);
    this.storage.purge(key, isUnseen ? this.withRecord(key, remembered, body) : body, patch);
  }

  mark(body: KubeObject, patch: Patch): void {
    this.storage.mark?.(body, patch);
  }

  touch(value: string | null, body: KubeObject, patch: Patch): void {
    this.storage.touch(value, body, patch);
  }

  clear(essence: Essence): Essence {
    return this.storage.clear(essence);
  }

  /** Records from before the last complete handling belong to an earlier change: they would count its time and its attempts. */
  private fetchPresent(key: string, body: KubeObject): ProgressRecord | undefined {
    const record = this.storage.fetch(key, body);
    const { handledAt } = this.memory;
    if (!record || handledAt === undefined) return record;
    const started = parseTimestamp(record.started);
    return started !== undefined && started < handledAt ? undefined : record;
  }

  /** The object with a record that was sent, but that this state does not show yet: storages remove only what is there. */
  private withRecord(key: string, record: ProgressRecord, body: KubeObject): KubeObject {
    const stored = new ResourcePatch();
    this.storage.store(key, record, body, stored);
    return applyMergePatch(body, stored.toMergePatch() ?? {}) as KubeObject;
  }

  private reportLoss(): void {
    if (this.memory.progressLossReported) return;
    this.memory.progressLossReported = true;
    const consequence = this.options.recalls ? 'It is recalled from memory.' : 'They are called anew.';
    this.logger.warn(`Somebody has removed the progress of handlers from the object. ${consequence}`);
  }
}
