import type { ReviewMessage } from '../../../diagnostics/channels.js';
import type { InspectedReview, InspectedWebhook } from '../../inspection.types.js';
import { DurationWindow } from './duration.window.js';

/** The most reviews that are kept of one webhook. */
const MOST_REVIEWS = 50;

/** The ends of the reviews of one webhook. */
export type ReviewCounts = Omit<InspectedWebhook, 'id' | 'kind' | 'source' | 'selector'>;

class ReviewCounters {
  calls = 0;
  refused = 0;
  failed = 0;
  readonly durations = new DurationWindow();
  readonly last: InspectedReview[] = [];
}

/**
 * The counts of reviews by their webhooks. Unknown webhooks are not counted, as ids come from outside; a review without an id counts for
 * all handlers.
 */
export class ReviewStatistics {
  private known?: Map<string, ReviewCounters>;

  /** @param list lists the ids of the webhooks that are counted; asked when the first review comes. */
  constructor(private readonly list: () => readonly string[]) {}

  /** @param message says why, and is fit to be shown. */
  record(review: ReviewMessage, message: string | undefined): void {
    const { kind, webhook, startedAt, duration = 0, allowed, rejection, code } = review;
    const ids = kind === 'conversion' ? [CONVERSION] : webhook === undefined ? [...this.counters.keys()] : [webhook];
    for (const id of ids) {
      const counted = this.counters.get(id);
      if (!counted) continue;
      counted.calls += 1;
      if (allowed === undefined) counted.failed += 1;
      else if (!allowed) counted.refused += 1;
      counted.durations.add(duration);
      const shown = rejection ?? code;
      const entry = { at: startedAt, allowed: allowed === true, duration };
      counted.last.unshift({ ...entry, ...(shown !== undefined && { code: shown }), ...(message && { message }) });
      if (counted.last.length > MOST_REVIEWS) counted.last.pop();
    }
  }

  of(id: string): ReviewCounts {
    const { calls, refused, failed, durations, last } = this.counters.get(id) ?? new ReviewCounters();
    const { p50, p95 } = durations.percentiles();
    return { calls, refused, failed, last: [...last], ...(p50 !== undefined && { p50, p95 }) };
  }

  clear(): void {
    this.known = undefined;
  }

  private get counters(): ReadonlyMap<string, ReviewCounters> {
    return (this.known ??= new Map([...this.list(), CONVERSION].map((id) => [id, new ReviewCounters()])));
  }
}

/** The id of the one webhook of all conversions. */
export const CONVERSION = 'conversion';
