import type { RunRecord, TracedChange } from '../run/run.record.js';
import type { SimulationFault } from '../simulation.plan.js';
import { cancels } from './change.relations.js';

type MissedEvents = Extract<SimulationFault, { readonly kind: 'missed-events' }>;

/**
 * The faults of watches, by Sieve's rules for stale and for unobserved states.
 *
 * A delayed change matters if the operator does something before it arrives: because of an earlier event, or of another resource. A missed state
 * matters if a later change cancels it: otherwise the operator sees it along with the later one.
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

/** Events that are missed until the first change that cancels the state, and until the last one that does. */
function* missedEventsOf(change: TracedChange, later: readonly TracedChange[]): Generator<MissedEvents> {
  const cancelling = later.filter((each) => cancels(each, change));
  const [first] = cancelling;
  const last = cancelling.at(-1);
  const { number: fromChange, resource } = change;
  // The operator knows its own changes without any event, unless others follow them.
  if (first && !(change.isOperator && first.isOperator)) {
    yield { kind: 'missed-events', resource, fromChange, untilChange: first.number };
  }
  if (last && last !== first && !change.isOperator) {
    yield { kind: 'missed-events', resource, fromChange, untilChange: last.number };
  }
}

/** Delays of a change: until nothing happens any more, and until the operator has handled the next step of the user. */
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
  // The operator sees only the later state in the end, which is what the missed events show.
  const isMissed = missed.some((fault) => fault.untilChange === step.number);
  if (isQuiet && isMissed && isHidden(step, resource, clean)) return;
  yield { kind: 'stale', resource, fromChange, untilChange };
}

/** Whether the operator was at rest when another client made the change. */
function isAtRest({ number, rests, isOperator }: TracedChange, { changes }: RunRecord): boolean {
  return !isOperator && changes.every((other) => other.number >= number || other.isTransient || other.rests < rests);
}

/** Whether a change stays hidden from the operator while it sees nothing of a resource. */
function isHidden(change: TracedChange, resource: string, { watched }: RunRecord): boolean {
  return change.isTransient || change.resource === resource || !watched.has(change.resource);
}
