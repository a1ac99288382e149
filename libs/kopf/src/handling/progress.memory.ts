import { parseTimestamp } from '../common/timestamps.js';
import { leadOf } from '../execution/handler.progress.js';
import type { ProgressRecord } from '../state/storages.js';

/**
 * Remembers the progress of one object's handlers beside the object itself: which records were sent and are not confirmed by
 * the cluster yet, and which ones the object should have.
 */
export class ProgressMemory {
  /** Tells when the last change was handled completely, in milliseconds since the epoch: older progress is a leftover. */
  handledAt?: number;
  /** The records in the patch that is being made, by handlers: they count as stored when the cluster has taken the patch. */
  private sent?: Map<string, ProgressRecord>;
  /** The records that the object should have, by handlers. */
  private confirmed?: Map<string, ProgressRecord>;
  /** The records that were read last or stored since then, by handlers: also those that an earlier process has left. */
  private seen?: Map<string, ProgressRecord>;
  /** By how many milliseconds the clocks are ahead that records were begun with, by handlers, with their starts; absent if none is. */
  private leads?: Map<string, readonly [started: string | null | undefined, lead: number]>;
  private isLossReported = false;

  /** The records as they are known to be on the object, by handlers; absent if there are none. */
  get known(): ReadonlyMap<string, ProgressRecord> | undefined {
    return this.seen;
  }

  /** Tells whether the object should have no records. */
  get isEmpty(): boolean {
    return this.confirmed === undefined;
  }

  /** The record that the object should have of a handler. */
  expected(id: string): ProgressRecord | undefined {
    return this.confirmed?.get(id);
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
   * The milliseconds by which the clock is ahead that the record was begun with, on another host, or before the clock of this one was set: as
   * far as its start was in the future when it was seen first. From then on, its delays pass as they should.
   */
  leadOf(id: string, record: ProgressRecord, now: number): number {
    const known = this.leads?.get(id);
    if (known && known[0] === record.started) return known[1];
    const lead = leadOf(record, now);
    if (lead > 0) (this.leads ??= new Map()).set(id, [record.started, lead]);
    else this.leads?.delete(id);
    return lead;
  }

  /** Takes note of the record that the object has of a handler, if it has one. */
  noteRead(id: string, record: ProgressRecord | undefined): void {
    if (record) (this.seen ??= new Map()).set(id, record);
    else if (this.seen?.delete(id) && this.seen.size === 0) this.seen = undefined;
  }

  /** Takes note that the record is in the patch that is being made. */
  noteSent(id: string, record: ProgressRecord): void {
    (this.sent ??= new Map()).set(id, record);
  }

  /** Takes note that nothing of the patch that was being made counts. */
  forgetSent(): void {
    this.sent = undefined;
  }

  /** Takes note that the cluster has taken the patch. */
  confirmSent(): void {
    const { sent } = this;
    if (sent === undefined) return;
    this.sent = undefined;
    this.confirmed ??= new Map();
    for (const [id, record] of sent) {
      this.confirmed.set(id, record);
      this.noteRead(id, record);
    }
  }

  /** Forgets the records of a handler, sent or confirmed. Returns the one that the object should have had. */
  remove(id: string): ProgressRecord | undefined {
    this.sent?.delete(id);
    this.leads?.delete(id);
    this.noteRead(id, undefined);
    const record = this.confirmed?.get(id);
    if (this.confirmed?.delete(id) && this.confirmed.size === 0) this.confirmed = undefined;
    return record;
  }

  /** Takes note that records have gone; returns whether this is the first time, which is to be reported. */
  noteLoss(): boolean {
    const isFirst = !this.isLossReported;
    this.isLossReported = true;
    return isFirst;
  }

  /** Forgets what was true of the progress, as another operator may have been at work. */
  forget(): void {
    this.confirmed = undefined;
    this.seen = undefined;
    this.handledAt = undefined;
  }
}
