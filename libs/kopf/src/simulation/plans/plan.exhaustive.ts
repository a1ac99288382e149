import type { RunRecord, TracedChange } from '../run/simulation.run.js';
import type { SimulationFault, SimulationPlan } from '../simulation.plan.js';

/** Statuses with which the API server answers what it may accept a moment later. */
const PASSING_STATUSES = [429, 500];

/**
 * Makes a plan for each fault that can matter in a run, by the three patterns of Sieve (OSDI 2022): the operator crashes after each
 * of its writes; it sees each change too late, after it has written something else; and it never sees a state that was soon another one.
 * Beside these, each answer is lost once, and each request meets another writer, or a server that is busy.
 */
export function* exhaustivePlans(clean: RunRecord, seed: number): Generator<SimulationPlan> {
  for (const fault of interleaved([crashes(clean), blindness(clean), requestFaults(clean)])) {
    yield { seed, faults: [fault] };
  }
}

function* crashes({ writes }: RunRecord): Generator<SimulationFault> {
  for (let afterWrite = 1; afterWrite <= writes; afterWrite++) yield { kind: 'crash', afterWrite };
}

/**
 * Delays each change: until nothing happens any more, and until the operator has done what the next step of the user leads to. Skips
 * what is undone by a later change. What the operator has written itself, and nothing follows, can come as late as it will.
 */
function* blindness({ changes, watched, writes }: RunRecord): Generator<SimulationFault> {
  const seen = changes.filter(({ resource, isTransient }) => !isTransient && watched.has(resource));
  for (const change of seen) {
    const { number: fromChange, resource } = change;
    const later = seen.filter(({ number, object }) => number > fromChange && object === change.object);
    const [next] = later;
    if (!change.isOperator || change.writes < writes || next) yield { kind: 'stale', resource, fromChange };
    const [step, end] = changes.filter(({ number, isOperator }) => number > fromChange && !isOperator);
    if (step) {
      const untilChange = end ? end.number - 1 : changes.length;
      yield { kind: 'stale', resource, fromChange, untilChange: Math.max(untilChange, step.number) };
    }
    if (!next) continue;
    if (isSkippable(change, next)) yield { kind: 'skip', resource, fromChange, untilChange: next.number };
    const last = later.at(-1)!;
    if (last !== next && !change.isOperator) yield { kind: 'skip', resource, fromChange, untilChange: last.number };
  }
}

/** The operator knows of its own changes without any event, unless something else follows them. */
function isSkippable(change: TracedChange, next: TracedChange): boolean {
  return !change.isOperator || !next.isOperator;
}

function* requestFaults({ writes, requests }: RunRecord): Generator<SimulationFault> {
  for (let ofWrite = 1; ofWrite <= writes; ofWrite++) yield { kind: 'lost-answer', ofWrite };
  for (const { number: attempt } of requests) {
    yield { kind: 'conflict', beforeAttempt: attempt };
    yield { kind: 'conflict', beforeAttempt: attempt, times: 3 };
    for (const status of PASSING_STATUSES) yield { kind: 'error', ofAttempt: attempt, status };
  }
}

/** Takes one of each in turn, so that a limited number of plans has some of all. */
function* interleaved<T>(sources: readonly Generator<T>[]): Generator<T> {
  let open = [...sources];
  while (open.length > 0) {
    const left: Generator<T>[] = [];
    for (const source of open) {
      const { done, value } = source.next();
      if (done) continue;
      yield value as T;
      left.push(source);
    }
    open = left;
  }
}
