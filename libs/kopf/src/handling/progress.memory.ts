import { parseTimestamp } from 'kube-common';
import { CLOCK_TOLERANCE, leadOf } from '../execution/handler.progress.js';
import type { ProgressRecord } from '../state/storages.js';

/** What becomes of the records of handlers: a new one for each of them, or `null` for one that is removed. */
export type RecordChanges = ReadonlyMap<string, ProgressRecord | null>;

/**
 * Remembers the progress of one object's handlers beside the object itself: which records are to be stored, which ones are true although the
 * cluster has not stored them, and which ones the object should have.
 */
export class ProgressMemory {
  /** Tells when the last change was handled completely, in milliseconds since the epoch: older progress is a leftover. */
  handledAt?: number;
  /** Is true if the object is to be marked as an operator's, though no record of it is left. */
  isMarked = false;
  /** The changes that the present cycle makes: they count when the cluster has stored them, or when they are withheld. */
  private made?: Map<string, ProgressRecord | null>;
  /** The changes that count although they are not stored. */
  private withheld?: Map<string, ProgressRecord | null>;
  /** The records that the object should have, by handlers. */
  private confirmed?: Map<string, ProgressRecord>;
  /** The records that were read last or stored since then, by handlers: also those that an earlier process has left. */
  private seen?: Map<string, ProgressRecord>;
  /** The wall clocks that records were begun with, by handlers: each is that of the monotonic clock and these milliseconds. */
  private clocks?: Map<string, { readonly started: string | null | undefined; readonly offset: number }>;
  private isLossReported = false;

  /** The records as they are known, on the object or instead of it, by handlers; absent if there are none. */
  get known(): ReadonlyMap<string, ProgressRecord> | undefined {
    if (!this.withheld) return this.seen;
    const known = new Map(this.seen);
    for (const [id, record] of this.withheld) {
      if (record) known.set(id, record);
      else known.delete(id);
    }
    return known.size > 0 ? known : undefined;
  }

  /** Tells whether there should be no records, on the object or instead of it. */
  get isEmpty(): boolean {
    return this.confirmed === undefined && this.withheld === undefined;
  }

  /** Tells whether the present cycle has changed anything. */
  get isChanged(): boolean {
    return this.made !== undefined || this.isMarked;
  }

  /** Tells whether there are changes that count although they are not stored. */
  get isWithheld(): boolean {
    return this.withheld !== undefined;
  }

  /** All changes that are to be stored. */
  get changes(): RecordChanges {
    const { made, withheld } = this;
    if (made && withheld) return new Map([...withheld, ...made]);
    return made ?? withheld ?? NO_CHANGES;
  }

  /** The changes that were made so far, which do not change any more. */
  copyChanges(): RecordChanges {
    return this.made ? new Map(this.made) : NO_CHANGES;
  }

  /** The record that the object should have of a handler. */
  expected(id: string): ProgressRecord | undefined {
    return this.confirmed?.get(id);
  }

  /** What counts instead of the record on the object: another one, or `null` if none does; absent if the object is right. */
  instead(id: string): ProgressRecord | null | undefined {
    return this.withheld?.get(id);
  }

  /**
   * Tells whether a record of a handler is from before the last complete handling: it would count the time and the attempts of an
   * earlier change. One that was stored since then is not, even if the system's clock has been set back meanwhile.
   */
  isLeftover(id: string, { started }: ProgressRecord): boolean {
    if (this.handledAt === undefined || this.expected(id)?.started === started) return false;
    const begun = parseTimestamp(started);
    return begun !== undefined && begun < this.handledAt;
  }

  /**
   * The milliseconds by which the clock is ahead, or behind if they are negative, that the record was begun with: on another host, as far as its
   * start was in the future when it was seen first; by this process, as far as its wall clock was set since then. So its delays pass as they should.
   *
   * @param offset the milliseconds by which the wall clock is ahead of the monotonic one
   */
  leadOf(id: string, record: ProgressRecord, now: number, offset: number): number {
    const lead = this.clockOf(id, record, offset + leadOf(record, now)) - offset;
    return Math.abs(lead) > CLOCK_TOLERANCE ? lead : 0;
  }

  /** Records the clock that a record is begun with, unless it is known. @returns how far it is ahead of the monotonic one, in milliseconds */
  clockOf(id: string, { started }: ProgressRecord, offset: number): number {
    const known = this.clocks?.get(id);
    if (known?.started === started) return known?.offset ?? offset;
    (this.clocks ??= new Map()).set(id, { started, offset });
    return offset;
  }

  /** Records the record that the object has of a handler, if it has one. */
  noteRead(id: string, record: ProgressRecord | undefined): void {
    if (record) (this.seen ??= new Map()).set(id, record);
    else if (this.seen?.delete(id) && this.seen.size === 0) this.seen = undefined;
  }

  /** Records a record to be stored, or of one to be removed. */
  noteChange(id: string, record: ProgressRecord | null): void {
    (this.made ??= new Map()).set(id, record);
  }

  /** Records that the present cycle has changed nothing. */
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

  /** Records that the cluster has not stored the changes of this cycle, which count nevertheless. */
  withhold(): void {
    for (const [id, record] of this.made ?? []) {
      // Of records that the object has never had, there is nothing to be removed.
      if (record || this.confirmed?.has(id) || this.seen?.has(id)) (this.withheld ??= new Map()).set(id, record);
      else this.withheld?.delete(id);
    }
    if (this.withheld?.size === 0) this.withheld = undefined;
    this.forgetChanges();
  }

  /** Records that records have gone; returns whether this is the first time, which is to be reported. */
  noteLoss(): boolean {
    const isFirst = !this.isLossReported;
    this.isLossReported = true;
    return isFirst;
  }

  /** Forgets what the object should have, as another operator may have been at work. */
  forget(): void {
    this.confirmed = undefined;
    this.seen = undefined;
    this.handledAt = undefined;
  }

  /** Forgets what counts although it is not stored. */
  forgetWithheld(): void {
    this.withheld = undefined;
  }
}

const NO_CHANGES: RecordChanges = new Map();
