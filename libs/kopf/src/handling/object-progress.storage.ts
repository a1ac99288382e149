import type { Clock } from 'kube-common';
import type { KopfLogger } from '../common/kopf.logger.js';
import type { KubeObject } from '../objects/kube-object.js';
import type { Patch } from '../objects/patches.js';
import type { Essence } from '../objects/essences.js';
import type { ProgressRecord, ProgressStorage } from '../state/storages.js';
import type { ProgressMemory } from './progress.memory.js';

/** The way of reading the progress of an object. */
export interface ObjectProgressOptions {
  /** Whether records that another client has removed from the object are recalled from memory. */
  readonly recalls: boolean;
  /** Whether the records are ignored, as they belong to another object, of which this one is a copy. */
  readonly isCopied: boolean;
}

/**
 * The progress of one object in one cycle. Records are read from the operator's storage, unless withheld ones replace them, and are
 * remembered, so that their removal by another client is noticed. Records to store are only remembered until the end of the cycle: see
 * {@link StateWriting}.
 *
 * All records of a cycle use the wall clock as it was at the beginning of the cycle, even if it is set while a handler runs.
 */
export class ObjectProgressStorage implements ProgressStorage {
  /** Returns the time of the cycle, in milliseconds since the epoch. */
  readonly now = (): number => this.clock.monotonic() + this.wallOffset;
  /** The difference of the wall clock from the monotonic clock at the beginning of the cycle, in milliseconds. */
  private readonly wallOffset: number;

  constructor(
    private readonly storage: ProgressStorage,
    private readonly memory: ProgressMemory,
    private readonly options: ObjectProgressOptions,
    private readonly logger: KopfLogger,
    private readonly clock: Pick<Clock, 'now' | 'monotonic'>,
  ) {
    this.wallOffset = clock.now() - clock.monotonic();
  }

  fetch(key: string, body: KubeObject): ProgressRecord | undefined {
    const stored = this.options.isCopied ? undefined : this.fetchPresent(key, body);
    this.memory.noteRead(key, stored);
    const instead = this.memory.instead(key);
    if (instead !== undefined) return instead ?? undefined;
    const remembered = this.memory.expected(key);
    if (stored || !remembered) return stored;
    this.reportLoss();
    return this.options.recalls ? remembered : undefined;
  }

  /** Computes by how many milliseconds the clock that the record was begun with is ahead of this one; negative if it is behind. */
  leadOf(key: string, record: ProgressRecord, now: number): number {
    return this.memory.leadOf(key, record, now, this.wallOffset);
  }

  store(key: string, record: ProgressRecord): void {
    this.memory.clockOf(key, record, this.wallOffset);
    this.memory.noteChange(key, record);
  }

  purge(key: string): void {
    this.memory.noteChange(key, null);
  }

  mark(): void {
    this.memory.isMarked = true;
  }

  touch(value: string | null, body: KubeObject, patch: Patch): void {
    this.storage.touch(value, body, patch);
  }

  clear(essence: Essence): Essence {
    return this.storage.clear(essence);
  }

  private fetchPresent(key: string, body: KubeObject): ProgressRecord | undefined {
    const record = this.storage.fetch(key, body);
    return record && this.memory.isLeftover(key, record) ? undefined : record;
  }

  private reportLoss(): void {
    if (!this.memory.noteLoss()) return;
    const consequence = this.options.recalls ? 'It is recalled from memory.' : 'They are called anew.';
    this.logger.warn(`Another client has removed the progress of handlers from the object. ${consequence}`);
  }
}
