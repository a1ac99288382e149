import type { Addition, ProgressRecord } from '../state/storages.js';
import { cutStoredMessage, formatTimestamp, parseTimestamp, stringifyJson } from 'kube-common';
import type { Outcome } from './outcome.js';

const FIELDS = [
  'started',
  'stopped',
  'delayed',
  'purpose',
  'retries',
  'success',
  'failure',
  'message',
  'handled',
  'tried',
  'traceparent',
] as const;

/** The latest time that can be stored, as years have four digits. Handlers with an infinite delay are due then. */
const LATEST = Date.UTC(9999, 11, 31);

/** The progress of one handler of one object in one cycle. Times are in milliseconds since the epoch. */
export class HandlerProgress {
  /** Whether the handler takes part in the event cycle. Otherwise its record is only kept. */
  active = false;
  /** Whether an attempt was made since the progress was restored. */
  attempted = false;
  started: number;
  stopped?: number;
  delayed?: number;
  purpose?: string;
  retries = 0;
  success = false;
  failure = false;
  message?: string;
  subrefs: readonly string[] = [];
  /** The essence, as JSON, that the handler has finished with, or since which changes are shown to it, if it is recorded. */
  handled?: string;
  /** The essence, as JSON, that the last attempt was made with, until the handler has finished. */
  tried?: string;
  /** The `traceparent` of the last attempt, if it is traced, until the handler has finished. */
  traceparent?: string;
  private origin?: ProgressRecord;
  /** The record from before the handler was reopened. It stays valid until the handler is called, as the change can be reverted before. */
  private closed?: ProgressRecord;
  /**
   * The milliseconds by which the clock that the record was begun with is ahead; negative if it is behind. All times of a record are by
   * that clock, so that its delays stay the same on whichever host the handler is called next, and if the clock is set in the meantime.
   */
  private lead = 0;

  private constructor(started: number) {
    this.started = started;
  }

  static fresh(now: number, purpose: string | undefined): HandlerProgress {
    const progress = new HandlerProgress(now);
    progress.purpose = purpose;
    return progress;
  }

  /**
   * Restores the progress from a record of this library or of Kopf. Unreadable members count as absent.
   *
   * @param lead the milliseconds by which the clock of the record is known to be ahead, or behind.
   * @default as far as the start of the record is in the future
   */
  static restored(record: ProgressRecord, now: number, lead?: number): HandlerProgress {
    const progress = new HandlerProgress(parseTimestamp(record.started) ?? now);
    progress.lead = lead ?? leadOf(record, now);
    progress.stopped = parseTimestamp(record.stopped);
    progress.delayed = parseTimestamp(record.delayed);
    progress.purpose = textOf(record.purpose) || undefined;
    progress.retries = Number.isInteger(record.retries) ? record.retries! : 0;
    progress.success = record.success === true;
    progress.failure = record.failure === true;
    progress.message = textOf(record.message);
    progress.subrefs = Array.isArray(record.subrefs) ? record.subrefs.map(String) : [];
    progress.handled = textOf(record.handled);
    // Where statuses are merged, a late write of an earlier process may have left it beside the success of this one.
    progress.tried = progress.finished ? undefined : textOf(record.tried);
    progress.traceparent = textOf(record.traceparent);
    progress.origin = record;
    return progress;
  }

  get finished(): boolean {
    return this.success || this.failure;
  }

  /** Whether the handler is to be executed now. */
  isDue(now: number): boolean {
    return !this.finished && this.untilDue(now) <= 0;
  }

  /** Computes the milliseconds until the handler is to be executed again; `undefined` if it has finished. */
  untilDue(now: number): number {
    return this.delayed === undefined ? 0 : Math.max(0, this.delayed - now - this.lead);
  }

  /** Computes the seconds since the first attempt began. */
  runtime(now: number): number {
    return (now + this.lead - this.started) / 1000;
  }

  /** Adds the outcome of an attempt. */
  advance(outcome: Outcome, now: number): void {
    this.attempted = true;
    this.retries += 1;
    if (outcome.final) this.stopped ??= now + this.lead;
    this.conclude(outcome, now);
  }

  /** Replaces the outcome of the last attempt, as the API server rejects the changes of the handler. */
  amend(outcome: Outcome, now: number): void {
    this.stopped = outcome.final ? now + this.lead : undefined;
    this.conclude(outcome, now);
  }

  /**
   * Records the essence that the last attempt was made with.
   *
   * @param base the essence since which the handler was shown the change, if it is not the one handled last: the change since then is shown
   *   again until the handler has finished.
   */
  noteEssence(essence: string, base?: string): void {
    this.tried = this.finished ? undefined : essence;
    this.handled = this.finished ? essence : (base ?? this.handled);
  }

  /** Reopens the finished handler for a change that came afterwards. */
  reopen(now: number): void {
    this.closed = this.toRecord();
    this.started = now;
    this.lead = 0;
    this.stopped = this.delayed = this.message = this.traceparent = undefined;
    this.retries = 0;
    this.success = this.failure = false;
  }

  private conclude(outcome: Outcome, now: number): void {
    this.success = outcome.final && outcome.error === undefined;
    this.failure = outcome.final && outcome.error !== undefined;
    const due = now + this.lead + (outcome.delay ?? 0) * 1000;
    this.delayed = outcome.delay === undefined ? undefined : Math.min(LATEST, Math.max(0, due));
    this.message = outcome.error && cutStoredMessage(outcome.error.message);
    if (outcome.subrefs.size > 0) this.subrefs = [...new Set([...this.subrefs, ...outcome.subrefs])].sort();
  }

  /** Whether the record to store differs from the stored one. */
  get changed(): boolean {
    if (this.origin === undefined) return true;
    if (this.closed && !this.attempted) return false;
    const origin: ProgressRecord = this.origin;
    const record = this.toRecord();
    return (
      FIELDS.some((field) => (record[field] ?? null) !== (origin[field] ?? null)) ||
      stringifyJson(record.subrefs ?? []) !== stringifyJson(origin.subrefs ?? [])
    );
  }

  /** The members that Kopf does not know, to be stored; `null` for stored ones that are not valid any more. */
  private get additions(): Pick<ProgressRecord, Addition> {
    const { handled = this.origin?.handled && null, tried = this.origin?.tried && null } = this;
    const traceparent = (this.finished ? undefined : this.traceparent) ?? (this.origin?.traceparent && null);
    return {
      ...(handled !== undefined && { handled }),
      ...(tried !== undefined && { tried }),
      ...(traceparent !== undefined && { traceparent }),
    };
  }

  /** Marks the record as not stored, as the stored one is being removed. */
  forgetStored(): void {
    this.origin = undefined;
  }

  /** Returns the record to store, with all members; `null` for those without a value. */
  toRecord(): ProgressRecord {
    if (this.closed && !this.attempted) return this.closed;
    return {
      started: formatTimestamp(this.started),
      stopped: this.stopped === undefined ? null : formatTimestamp(this.stopped),
      delayed: this.delayed === undefined ? null : formatTimestamp(this.delayed),
      purpose: this.purpose ?? null,
      retries: this.retries,
      success: this.success,
      failure: this.failure,
      message: this.message ?? null,
      subrefs: this.subrefs.length > 0 ? this.subrefs : null,
      ...this.additions,
    };
  }
}

/** The difference of clocks that is tolerated, in milliseconds. */
export const CLOCK_TOLERANCE = 1000;

/** Computes by how many milliseconds the clock that the record was begun with is ahead, as far as its start is in the future. */
export function leadOf({ started }: ProgressRecord, now: number): number {
  const lead = (parseTimestamp(started) ?? now) - now;
  return lead > CLOCK_TOLERANCE ? lead : 0;
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}
