import type { OperatorEventCall } from '../event-log/operator.event.js';
import type { InspectedHandler, InspectedHandlerError, ObjectIdentity } from '../inspection.types.js';
import { CallRate } from './call.rate.js';
import type { ObservedEntry } from './observed.objects.js';
import { openProgress } from './observed.phase.js';

const MOST = { errors: 20, handlers: 1000 };

interface Tally {
  readonly id: string;
  readonly reasons: Set<string>;
  readonly resources: Set<string>;
  readonly outcomes: Record<NonNullable<OperatorEventCall['outcome']>, number>;
  readonly errors: InspectedHandlerError[];
  readonly rate: CallRate;
}

/** Counts how the attempts of handlers end, as far as it is seen from outside. */
export class ObservedTallies {
  private readonly tallies = new Map<string, Tally>();

  /** @param at when the attempt has ended, in milliseconds since the epoch. */
  note({ id, reason, outcome, error }: OperatorEventCall, object: ObjectIdentity, at: number): void {
    const tally = this.tallyOf(id);
    if (!tally || !outcome) return;
    tally.outcomes[outcome]++;
    tally.reasons.add(reason);
    tally.resources.add(object.resource);
    tally.rate.note(at);
    if (error === undefined) return;
    tally.errors.unshift({ error, at, object });
    tally.errors.length = Math.min(tally.errors.length, MOST.errors);
  }

  /** Describes the handlers that were seen, and those that objects wait for now. Their methods and filters are not known. */
  describe(entries: readonly ObservedEntry[], now: number): readonly InspectedHandler[] {
    const running = new Map<string, number>();
    for (const { resourceName, object } of entries) {
      for (const { handler, purpose, dueAt } of openProgress(object)) {
        const tally = this.tallyOf(handler);
        tally?.resources.add(resourceName);
        if (purpose !== undefined) tally?.reasons.add(purpose);
        if (dueAt === undefined || dueAt <= now) running.set(handler, (running.get(handler) ?? 0) + 1);
      }
    }
    const tallies = [...this.tallies.values()].sort((one, other) => (one.id < other.id ? -1 : 1));
    return tallies.map((tally) => describe(tally, running.get(tally.id) ?? 0, now));
  }

  private tallyOf(id: string): Tally | undefined {
    const known = this.tallies.get(id);
    if (known || this.tallies.size >= MOST.handlers) return known;
    const outcomes = { succeeded: 0, retried: 0, failed: 0 };
    const sets = { reasons: new Set<string>(), resources: new Set<string>() };
    const tally: Tally = { id, ...sets, outcomes, errors: [], rate: new CallRate() };
    this.tallies.set(id, tally);
    return tally;
  }
}

function describe(
  { id, reasons, resources, outcomes, errors, rate }: Tally,
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
