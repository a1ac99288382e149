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

/** The latest time that can be stored, as years have four digits: handlers that wait for ever are due then. */
const LATEST = Date.UTC(9999, 11, 31);

/** The progress of one handler of one object, in one cycle. Times are in milliseconds since the epoch. */
export class HandlerProgress {
  /** Is true if the handler takes part in the event cycle; otherwise its record is only carried along. */
  active = false;
  /** Is true if an attempt was made since the progress was restored. */
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
  /** The essence as JSON that the handler has finished with, or since which it is shown a change, as far as this is kept. */
  handled?: string;
  /** The essence as JSON that the last attempt was made with, as long as the handler has not finished. */
  tried?: string;
  /** Identifies the last attempt for tracers, if one of them wants it, as long as the handler has not finished. */
  traceparent?: string;
  private origin?: ProgressRecord;
  /** The record from before the handler was reopened: it holds until the handler is called, as the change can be taken back before. */
  private closed?: ProgressRecord;
  /**
   * The milliseconds by which the clock is ahead that the record was begun with; negative if it is behind. All times of a record are on that
   * clock, so that its delays stay what they are, on whichever host the handler is called next, and when the clock is set meanwhile.
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
   * Restores what was stored, by this library or by Kopf; what is unreadable in it counts as absent.
   *
   * @param lead the milliseconds by which the clock of the record is known to be ahead, or behind. @default as far as its start is in the future
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
    // A late write of an earlier process can have left it beside the success of this one, where statuses are merged.
    progress.tried = progress.finished ? undefined : textOf(record.tried);
    progress.traceparent = textOf(record.traceparent);
    progress.origin = record;
    return progress;
  }

  get finished(): boolean {
    return this.success || this.failure;
  }

  /** Checks whether the handler is to be executed now. */
  isDue(now: number): boolean {
    return !this.finished && this.untilDue(now) <= 0;
  }

  /** Milliseconds until the handler is to be executed again, if it has not finished. */
  untilDue(now: number): number {
    return this.delayed === undefined ? 0 : Math.max(0, this.delayed - now - this.lead);
  }

  /** Seconds since the first attempt began. */
  runtime(now: number): number {
    return (now + this.lead - this.started) / 1000;
  }

  /** Adds what came of an attempt. */
  advance(outcome: Outcome, now: number): void {
    this.attempted = true;
    this.retries += 1;
    if (outcome.final) this.stopped ??= now + this.lead;
    this.conclude(outcome, now);
  }

  /** Replaces what came of the last attempt: the API server rejects what the handler wanted. */
  amend(outcome: Outcome, now: number): void {
    this.stopped = outcome.final ? now + this.lead : undefined;
    this.conclude(outcome, now);
  }

  /**
   * Records the essence that the last attempt was made with.
   *
   * @param base the essence since which the handler was shown the change, if it was another one than that handled last:
   *   it is shown the change since then again, as long as it has not finished.
   */
  noteEssence(essence: string, base?: string): void {
    this.tried = this.finished ? undefined : essence;
    this.handled = this.finished ? essence : (base ?? this.handled);
  }

  /** Begins anew, for a change that came after the handler had finished. */
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

  /** Tells whether the record to store differs from the stored one. */
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

  /** Holds what Kopf does not know, to be stored; `null` for what is stored and does not hold any more. */
  private get additions(): Pick<ProgressRecord, Addition> {
    const { handled = this.origin?.handled && null, tried = this.origin?.tried && null } = this;
    const traceparent = (this.finished ? undefined : this.traceparent) ?? (this.origin?.traceparent && null);
    return {
      ...(handled !== undefined && { handled }),
      ...(tried !== undefined && { tried }),
      ...(traceparent !== undefined && { traceparent }),
    };
  }

  /** Makes the record be stored again, because what was stored is being removed. */
  forgetStored(): void {
    this.origin = undefined;
  }

  /** The record to store: every member is there, with `null` for what does not apply. */
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

/** Milliseconds by which clocks may differ without being wrong. */
export const CLOCK_TOLERANCE = 1000;

/** The milliseconds by which the clock is ahead that the record was begun with, as far as its start is in the future. */
export function leadOf({ started }: ProgressRecord, now: number): number {
  const lead = (parseTimestamp(started) ?? now) - now;
  return lead > CLOCK_TOLERANCE ? lead : 0;
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}
