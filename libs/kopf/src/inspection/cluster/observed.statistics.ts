import type { OperatorEventCall } from '../event-log/operator.event.js';
import type { InspectedHandler, InspectedHandlerError, ObjectIdentity } from '../inspection.types.js';
import { CallRate } from './call.rate.js';
import type { ObservedEntry } from './observed.objects.js';
import { openProgress } from './observed.phase.js';

const MOST = { errors: 20, handlers: 1000 };

interface HandlerCounters {
  readonly id: string;
  readonly reasons: Set<string>;
  readonly resources: Set<string>;
  readonly outcomes: Record<NonNullable<OperatorEventCall['outcome']>, number>;
  readonly errors: InspectedHandlerError[];
  readonly rate: CallRate;
}

/** The outcomes of the attempts of handlers, as far as the objects show them. */
export class ObservedStatistics {
  private readonly handlers = new Map<string, HandlerCounters>();

  /** @param at when the attempt has ended, in milliseconds since the epoch. */
  record({ id, reason, outcome, error }: OperatorEventCall, object: ObjectIdentity, at: number): void {
    const counters = this.countersOf(id);
    if (!counters || !outcome) return;
    counters.outcomes[outcome]++;
    counters.reasons.add(reason);
    counters.resources.add(object.resource);
    counters.rate.record(at);
    if (error === undefined) return;
    counters.errors.unshift({ error, at, object });
    counters.errors.length = Math.min(counters.errors.length, MOST.errors);
  }

  /** Returns the handlers that were seen, and those that objects wait for now. Their methods and filters are not known. */
  inspect(entries: readonly ObservedEntry[], now: number): readonly InspectedHandler[] {
    const running = new Map<string, number>();
    for (const { resourceName, object } of entries) {
      for (const { handler, purpose, dueAt } of openProgress(object)) {
        const counters = this.countersOf(handler);
        counters?.resources.add(resourceName);
        if (purpose !== undefined) counters?.reasons.add(purpose);
        if (dueAt === undefined || dueAt <= now) running.set(handler, (running.get(handler) ?? 0) + 1);
      }
    }
    const sorted = [...this.handlers.values()].sort((one, other) => (one.id < other.id ? -1 : 1));
    return sorted.map((counters) => toInspectedHandler(counters, running.get(counters.id) ?? 0, now));
  }

  private countersOf(id: string): HandlerCounters | undefined {
    const known = this.handlers.get(id);
    if (known || this.handlers.size >= MOST.handlers) return known;
    const outcomes = { succeeded: 0, retried: 0, failed: 0 };
    const sets = { reasons: new Set<string>(), resources: new Set<string>() };
    const counters: HandlerCounters = { id, ...sets, outcomes, errors: [], rate: new CallRate() };
    this.handlers.set(id, counters);
    return counters;
  }
}

function toInspectedHandler(
  { id, reasons, resources, outcomes, errors, rate }: HandlerCounters,
  running: number,
  now: number,
): InspectedHandler {
  const { succeeded, retried, failed } = outcomes;
  return {
    kind: [...reasons].sort().join(', ') || 'change',
    id,
    source: '',
    selector: [...resources].sort().join(', '),
    filters: [],
    calls: succeeded + retried + failed,
    succeeded,
    retried,
    failed,
    running,
    rate: rate.at(now),
    errors: [...errors],
  };
}
