import type { RunRecord, TracedChange } from '../run/run.record.js';
import type { SimulationFault } from '../simulation.plan.js';
import { cancels } from './change.relations.js';

type MissedEvents = Extract<SimulationFault, { readonly kind: 'missed-events' }>;

/**
 * Delays changes, and leaves states out, by Sieve's rules for stale and for unobserved states.
 *
 * A change that comes late matters if the operator does something else meanwhile: on what it has begun before, or by what it sees of
 * other resources. A state that is left out matters if a later change cancels it: otherwise it is seen along with the later one.
 */
export function* partitionFaults(clean: RunRecord): Generator<SimulationFault> {
  const seen = clean.changes.filter(({ resource, isTransient }) => !isTransient && clean.watched.has(resource));
  for (const change of seen) {
    const later = seen.filter(({ number, object }) => number > change.number && object === change.object);
    const missed = [...missedEventsOf(change, later)];
    yield* delaysOf(change, clean, later, missed);
    yield* missed;
  }
}

/** Leaves a state out until the change that cancels it, and until the last one that does. */
function* missedEventsOf(change: TracedChange, later: readonly TracedChange[]): Generator<MissedEvents> {
  const cancelling = later.filter((each) => cancels(each, change));
  const [first] = cancelling;
  const last = cancelling.at(-1);
  const { number: fromChange, resource } = change;
  // The operator knows of its own changes without any event, unless something else follows them.
  if (first && !(change.isOperator && first.isOperator)) {
    yield { kind: 'missed-events', resource, fromChange, untilChange: first.number };
  }
  if (last && last !== first && !change.isOperator) {
    yield { kind: 'missed-events', resource, fromChange, untilChange: last.number };
  }
}

/** Delays a change until nothing happens any more, and until the operator has done what the next step of the user leads to. */
function* delaysOf(
  change: TracedChange,
  clean: RunRecord,
  later: readonly TracedChange[],
  missed: readonly MissedEvents[],
): Generator<SimulationFault> {
  const { number: fromChange, resource, rests } = change;
  const { changes, writes } = clean;
  const others = changes.filter(({ number, isOperator }) => number > fromChange && !isOperator);
  const isQuiet = isAtRest(change, clean) && !clean.hasBackground;
  const isActive = !change.isOperator || change.writes < writes || later.length > 0;
  const untilRest = others.filter((each) => each.rests === rests);
  if (isActive && !(isQuiet && untilRest.every((each) => isHidden(each, resource, clean)))) {
    yield { kind: 'stale', resource, fromChange };
  }
  const [step, end] = others;
  if (!step) return;
  const untilChange = Math.max(end ? end.number - 1 : changes.length, step.number);
  // All that the operator sees in the end is the later state: that is what the missed events show.
  const isMissed = missed.some((fault) => fault.untilChange === step.number);
  if (isQuiet && isMissed && isHidden(step, resource, clean)) return;
  yield { kind: 'stale', resource, fromChange, untilChange };
}

/** Tells whether the operator had nothing to do when somebody else made the change. */
function isAtRest({ number, rests, isOperator }: TracedChange, { changes }: RunRecord): boolean {
  return !isOperator && changes.every((other) => other.number >= number || other.isTransient || other.rests < rests);
}

/** Tells whether the operator sees nothing of a change while it sees nothing of a resource. */
function isHidden(change: TracedChange, resource: string, { watched }: RunRecord): boolean {
  return change.isTransient || change.resource === resource || !watched.has(change.resource);
}
