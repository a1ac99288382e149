import type { Clock } from 'kube-common';
import type { KopfLogger } from '../common/kopf.logger.js';
import type { KubeObject } from '../objects/kube-object.js';
import type { Patch } from '../objects/patches.js';
import type { Essence } from '../objects/essences.js';
import type { ProgressRecord, ProgressStorage } from '../state/storages.js';
import type { ProgressMemory } from './progress.memory.js';

/** Configures how the progress of an object is read. */
export interface ObjectProgressOptions {
  /** Recalls records from memory that somebody has removed from the object. */
  readonly recalls: boolean;
  /** Ignores the records, as they are another object's, of which this one is a copy. */
  readonly isCopied: boolean;
}

/**
 * The progress of one object in one cycle: read from the operator's storage, unless something else counts, and remembered, to notice when
 * somebody removes it there. What is to be stored is only remembered until the end of the cycle: see {@link StateWriting}.
 *
 * All records of a cycle are on the wall clock as it was at the beginning of the cycle, also if it is set while a handler is at work.
 */
export class ObjectProgressStorage implements ProgressStorage {
  /** The time in milliseconds since the epoch. */
  readonly now = (): number => this.clock.monotonic() + this.wallOffset;
  /** The milliseconds by which the wall clock was ahead of the monotonic one at the beginning of the cycle. */
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

  /** The milliseconds by which the clock is ahead that the record was begun with; negative if it is behind. */
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
    this.logger.warn(`Somebody has removed the progress of handlers from the object. ${consequence}`);
  }
}
