import { parseTimestamp } from 'kube-common';
import { CLOCK_TOLERANCE, leadOf } from '../execution/handler.progress.js';
import type { Essence } from '../objects/essences.js';
import type { HandlingPurpose, ProgressRecord } from '../state/storages.js';

/** The changes of the handlers' records: a new record, or `null` if the record is removed. */
export type RecordChanges = ReadonlyMap<string, ProgressRecord | null>;

/** A finished handling of an object with handlers that have failed for good. Their records are removed from the object. */
export interface FailedHandling {
  readonly purpose: HandlingPurpose;
  /** The records of the failed handlers, by handler. */
  readonly records: ReadonlyMap<string, ProgressRecord>;
  /** The essence before the change, of an update; absent if it is not known. */
  readonly old?: Essence;
}

/**
 * The memory of the progress of one object's handlers: which records are to be stored, which ones count although the cluster has not stored
 * them, and which ones the object should have.
 */
export class ProgressMemory {
  /** The time at which the last change was completely handled, in milliseconds since the epoch: older progress is a leftover. */
  handledAt?: number;
  /** The last handling, if any of its handlers has failed for good. */
  failed?: FailedHandling;
  /** Whether this process has handled the creation or a change to the end, so that it knows whether handlers have failed for good. */
  knowsFailures = false;
  /** Whether the object is to be marked as handled by an operator, although none of its records is left. */
  isMarked = false;
  /** The changes in the present cycle. They count when the cluster has stored them, or when they are withheld. */
  private made?: Map<string, ProgressRecord | null>;
  /** The changes that count although they are not stored. */
  private withheld?: Map<string, ProgressRecord | null>;
  /** The records that the object should have, by handler. */
  private confirmed?: Map<string, ProgressRecord>;
  /** The records that were last read or stored, by handler, including those of an earlier process. */
  private seen?: Map<string, ProgressRecord>;
  /** The wall clocks that records were begun with, by handler: each as its offset from the monotonic clock, in milliseconds. */
  private clocks?: Map<string, { readonly started: string | null | undefined; readonly offset: number }>;
  private isLossReported = false;

  /** The known records, stored or withheld, by handler; absent if there are none. */
  get known(): ReadonlyMap<string, ProgressRecord> | undefined {
    if (!this.withheld) return this.seen;
    const known = new Map(this.seen);
    for (const [id, record] of this.withheld) {
      if (record) known.set(id, record);
      else known.delete(id);
    }
    return known.size > 0 ? known : undefined;
  }

  /** Whether there should be no records, stored or withheld. */
  get isEmpty(): boolean {
    return this.confirmed === undefined && this.withheld === undefined;
  }

  /** Whether the present cycle has changed any record. */
  get isChanged(): boolean {
    return this.made !== undefined || this.isMarked;
  }

  /** Whether changes count although they are not stored. */
  get isWithheld(): boolean {
    return this.withheld !== undefined;
  }

  /** All changes that are to be stored. */
  get changes(): RecordChanges {
    const { made, withheld } = this;
    if (made && withheld) return new Map([...withheld, ...made]);
    return made ?? withheld ?? NO_CHANGES;
  }

  /** Returns a copy of the changes so far. */
  copyChanges(): RecordChanges {
    return this.made ? new Map(this.made) : NO_CHANGES;
  }

  /** Returns the record that the object should have of a handler. */
  expected(id: string): ProgressRecord | undefined {
    return this.confirmed?.get(id);
  }

  /**
   * Returns the record that counts instead of the stored one: a withheld one, `null` if it is removed, or `undefined` if the stored one
   * counts.
   */
  instead(id: string): ProgressRecord | null | undefined {
    return this.withheld?.get(id);
  }

  /**
   * Whether a record of a handler is older than the last complete handling, so that it contains the time and the attempts of an earlier
   * change. A record that was stored since then is not, even if the system clock was set back.
   */
  isLeftover(id: string, { started }: ProgressRecord): boolean {
    if (this.handledAt === undefined || this.expected(id)?.started === started) return false;
    const begun = parseTimestamp(started);
    return begun !== undefined && begun < this.handledAt;
  }

  /**
   * Computes by how many milliseconds the clock that the record was begun with is ahead of this one; negative if it is behind. For a record
   * of another host, it is ahead as far as the start of the record was in the future when it was first read; for a record of this process,
   * the change of the wall clock since then counts. With it, delays last as long as intended.
   *
   * @param offset the difference of the wall clock from the monotonic clock, in milliseconds
   */
  leadOf(id: string, record: ProgressRecord, now: number, offset: number): number {
    const lead = this.clockOf(id, record, offset + leadOf(record, now)) - offset;
    return Math.abs(lead) > CLOCK_TOLERANCE ? lead : 0;
  }

  /**
   * Records the clock that a record is begun with, unless it is known.
   * @returns its difference from the monotonic clock, in milliseconds
   */
  clockOf(id: string, { started }: ProgressRecord, offset: number): number {
    const known = this.clocks?.get(id);
    if (known?.started === started) return known?.offset ?? offset;
    (this.clocks ??= new Map()).set(id, { started, offset });
    return offset;
  }

  /** Records the record of a handler that the object has; `undefined` if it has none. */
  noteRead(id: string, record: ProgressRecord | undefined): void {
    if (record) (this.seen ??= new Map()).set(id, record);
    else if (this.seen?.delete(id) && this.seen.size === 0) this.seen = undefined;
  }

  /** Records a record that is to be stored, or `null` if it is to be removed. */
  noteChange(id: string, record: ProgressRecord | null): void {
    (this.made ??= new Map()).set(id, record);
  }

  /** Drops the changes of the present cycle. */
  forgetChanges(): void {
    this.made = undefined;
    this.isMarked = false;
  }

  /** Records that the cluster has stored all changes. */
  confirm(): void {
    for (const [id, record] of this.changes) {
      if (!record && this.clocks?.delete(id) && this.clocks.size === 0) this.clocks = undefined;
      if (record) (this.confirmed ??= new Map()).set(id, record);
      else if (this.confirmed?.delete(id) && this.confirmed.size === 0) this.confirmed = undefined;
      this.noteRead(id, record ?? undefined);
    }
    this.withheld = undefined;
    this.forgetChanges();
  }

  /** Withholds the changes of this cycle: they count although the cluster has not stored them. */
  withhold(): void {
    for (const [id, record] of this.made ?? []) {
      // A record that the object has never had need not be removed.
      if (record || this.confirmed?.has(id) || this.seen?.has(id)) (this.withheld ??= new Map()).set(id, record);
      else this.withheld?.delete(id);
    }
    if (this.withheld?.size === 0) this.withheld = undefined;
    this.forgetChanges();
  }

  /** Records that the object has lost its records. Returns whether this is the first time, which is reported. */
  noteLoss(): boolean {
    const isFirst = !this.isLossReported;
    this.isLossReported = true;
    return isFirst;
  }

  /** Drops the records that the object should have, as another operator may have handled the object. */
  forget(): void {
    this.confirmed = undefined;
    this.seen = undefined;
    this.handledAt = undefined;
    this.failed = undefined;
    this.knowsFailures = false;
  }

  /** Drops the changes that count although they are not stored. */
  forgetWithheld(): void {
    this.withheld = undefined;
  }
}

const NO_CHANGES: RecordChanges = new Map();
