import type { RunRecord, TracedChange } from '../run/run.record.js';
import type { SimulationFault, SimulationPlan } from '../simulation.plan.js';
import { interventionFaults } from './intervention.plans.js';
import { partitionFaults } from './partition.plans.js';
import { collectionFaults } from './collection.plans.js';
import { rejectionFaults, skewFaults, unauthorizedFaults } from './repair.plans.js';

/** Seconds by which clocks jump. */
const CLOCK_JUMPS = [-3600, 3600];
/** Seconds by which the clocks of two machines differ: longer than a Lease. */
const SKEWS = [-30, 30];

/**
 * A plan for each fault that can matter in a run, by the three patterns of Sieve (OSDI 2022): the operator crashes after each of its effective
 * writes; it sees changes too late, after it has written something else; it never sees a state that was soon replaced.
 *
 * Beside these, each answer is lost once, and requests meet another writer or a busy server. With each step of the user, the connection breaks,
 * credentials expire, or clocks jump. The user recreates objects, and another client changes and deletes what the operator has created. The garbage
 * collector is slow. Parts of the operator's patches are rejected, for a while and until the end, valid credentials are rejected for some seconds,
 * and clocks are wrong by hours.
 */
export function* exhaustivePlans(clean: RunRecord, seed: number, replicas = 1): Generator<SimulationPlan> {
  const sources: Generator<SimulationFault>[] = [crashes(clean), partitionFaults(clean), requestFaults(clean)];
  sources.push(stepFaults(clean), interventionFaults(clean, seed), readFaults(clean));
  sources.push(repairFaults(clean));
  const plans = [...sources.map(alone), collectionFaults(clean)];
  if (replicas > 1) plans.push(freezes(clean));
  for (const faults of interleaved(plans)) yield { seed, faults };
}

function* alone(faults: Iterable<SimulationFault>): Generator<readonly SimulationFault[]> {
  for (const fault of faults) yield [fault];
}

function* crashes({ writes, requests, changes }: RunRecord): Generator<SimulationFault> {
  for (let afterWrite = 1; afterWrite <= writes; afterWrite++) yield { kind: 'crash', afterWrite };
  // A crash before a request leaves the same state as one after the write before, unless something has changed in between.
  for (const { number, rests, writes: before, changes: seen } of requests) {
    const isSince = (change: TracedChange): boolean =>
      !change.isOperator && !change.isTransient && change.rests === rests && change.number <= seen;
    const hasBegun = changes.some((change) => change.isOperator && change.rests === rests && change.number <= seen);
    if (hasBegun && changes.some((change) => isSince(change) && change.writes === before)) {
      yield { kind: 'crash', beforeAttempt: number };
    }
  }
}

/** Freezes a replica after each write: once with clocks that agree, and once with one that is ahead or behind. */
function* freezes({ writes }: RunRecord): Generator<readonly SimulationFault[]> {
  for (let afterWrite = 1; afterWrite <= writes; afterWrite++) {
    const freeze = { kind: 'freeze', afterWrite } as const;
    yield [freeze];
    yield [freeze, { kind: 'clock-jump', afterChange: 0, seconds: SKEWS[afterWrite % SKEWS.length]!, replica: 1 }];
  }
}

function* requestFaults({ writes, requests, reviews }: RunRecord): Generator<SimulationFault> {
  for (let ofWrite = 1; ofWrite <= writes; ofWrite++) yield { kind: 'lost-answer', ofWrite };
  for (const { number, isConditional } of requests) {
    yield { kind: 'error', ofAttempt: number, status: 500 };
    yield { kind: 'error', ofAttempt: number, status: 429, retryAfter: 5 };
    if (!isConditional) continue;
    yield { kind: 'conflict', beforeAttempt: number, stays: true };
    yield { kind: 'conflict', beforeAttempt: number, times: 3 };
  }
  for (let fromReview = 1; fromReview <= reviews; fromReview++) yield { kind: 'webhook-down', fromReview };
}

/** Errors of reading requests: of the first two for each resource, a list and a watch. */
function* readFaults({ reads }: RunRecord): Generator<SimulationFault> {
  const counts = new Map<string, number>();
  for (const { number, resource, rests } of reads) {
    const place = `${resource} ${rests}`;
    const before = counts.get(place) ?? 0;
    counts.set(place, before + 1);
    if (before < 2) yield { kind: 'error', ofRead: number, status: before === 0 ? 500 : 429 };
  }
}

/** Faults that need not hit a certain request: one of each kind for each step of the user. */
function* stepFaults({ changes, requests, reads }: RunRecord): Generator<SimulationFault> {
  const steps = changes.filter(({ isOperator, isTransient }) => !isOperator && !isTransient);
  const first = new Map<number, TracedChange>();
  for (const step of steps) if (!first.has(step.rests)) first.set(step.rests, step);
  for (const { number: afterChange, rests } of first.values()) {
    yield { kind: 'outage', afterChange };
    const request = requests.find((each) => each.rests === rests);
    if (request) yield { kind: 'error', ofAttempt: request.number, status: 401 };
    const read = reads.find((each) => each.rests === rests);
    if (read) yield { kind: 'error', ofRead: read.number, status: 401 };
    for (const seconds of CLOCK_JUMPS) yield { kind: 'clock-jump', afterChange, seconds };
  }
}

/** Faults after which an operator has to repair its own state: one of each kind in turn. */
function* repairFaults(clean: RunRecord): Generator<SimulationFault> {
  yield* interleaved([rejectionFaults(clean), unauthorizedFaults(clean), skewFaults(clean)]);
}

/** Takes one item of each source in turn, so that a limited number of plans has some of each. */
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
