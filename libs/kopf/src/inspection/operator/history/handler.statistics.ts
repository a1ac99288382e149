import type { HandlerMessage } from '../../../diagnostics/channels.js';
import type { InspectedHandler, InspectedHandlerError, ObjectIdentity } from '../../inspection.types.js';
import { DurationWindow } from './duration.window.js';

/** Minutes over which calls are counted for their rate. */
const RATE_MINUTES = 5;

/** The most errors that are kept of one handler. */
const MOST_ERRORS = 20;

/** The ends of the calls of one handler. */
export type HandlerCounts = Omit<InspectedHandler, 'kind' | 'id' | 'source' | 'selector' | 'reason' | 'filters'>;

class HandlerCounters {
  calls = 0;
  succeeded = 0;
  retried = 0;
  failed = 0;
  running = 0;
  readonly durations = new DurationWindow();
  readonly errors: InspectedHandlerError[] = [];
  /** Counts of calls by the minute since the epoch. */
  private readonly minutes = new Map<number, number>();

  recordMinute(at: number): void {
    const minute = Math.floor(at / 60_000);
    this.minutes.set(minute, (this.minutes.get(minute) ?? 0) + 1);
    for (const old of this.minutes.keys()) if (old <= minute - RATE_MINUTES) this.minutes.delete(old);
  }

  rateAt(now: number): number {
    const minute = Math.floor(now / 60_000);
    let count = 0;
    for (const [each, calls] of this.minutes) if (each > minute - RATE_MINUTES) count += calls;
    return count / RATE_MINUTES;
  }
}

/** The key of a handler, as several methods can have the same id. */
type HandlerKey = Pick<HandlerMessage['handler'], 'id' | 'source'>;

/**
 * The counts of the calls of handlers. Calls of sub-handlers, whose ids can come from objects, are a part of the calls of their parents.
 */
export class HandlerStatistics {
  private counters?: Map<string, HandlerCounters>;

  /** @param list lists the handlers that are counted; asked when the first one is called, as they are not known before the start. */
  constructor(private readonly list: () => readonly HandlerKey[]) {}

  recordStart({ handler, startedAt }: HandlerMessage): void {
    const counted = this.find(handler);
    if (!counted) return;
    counted.calls += 1;
    counted.running += 1;
    counted.recordMinute(startedAt);
  }

  /** @param error is fit to be shown. */
  recordEnd(
    { handler, duration = 0 }: HandlerMessage,
    outcome: 'succeeded' | 'retried' | 'failed',
    at: number,
    error: string | undefined,
    object: ObjectIdentity | undefined,
  ): void {
    const counted = this.find(handler);
    if (!counted) return;
    // It can have begun before the first viewer came.
    counted.running = Math.max(0, counted.running - 1);
    counted[outcome] += 1;
    counted.durations.add(duration);
    if (error === undefined) return;
    counted.errors.unshift({ error, at, ...(object && { object }) });
    if (counted.errors.length > MOST_ERRORS) counted.errors.pop();
  }

  of(handler: HandlerKey, now: number): HandlerCounts {
    const counted = this.find(handler) ?? new HandlerCounters();
    const { calls, succeeded, retried, failed, running, errors, durations } = counted;
    return {
      calls,
      succeeded,
      retried,
      failed,
      running,
      rate: counted.rateAt(now),
      ...durations.percentiles(),
      errors: [...errors],
    };
  }

  clear(): void {
    this.counters = undefined;
  }

  private find(handler: HandlerKey): HandlerCounters | undefined {
    this.counters ??= new Map(this.list().map((each) => [keyOf(each), new HandlerCounters()]));
    return this.counters.get(keyOf(handler));
  }
}

function keyOf({ id, source }: HandlerKey): string {
  return `${source} ${id}`;
}
