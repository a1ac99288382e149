import { smallerStates } from './object.states.js';
import type { SimulationFault, SimulationPlan } from '../simulation.plan.js';

/** Runs a plan, and returns whether it still shows the finding. */
export type PlanTrial = (plan: SimulationPlan) => Promise<boolean>;

/** The lengths of a run without faults, along which the positions of faults are counted. */
export interface RunLength {
  readonly writes: number;
  readonly attempts: number;
  readonly reads: number;
  readonly changes: number;
  readonly reviews: number;
}

/** Options of {@link shrinkPlan}. */
export interface ShrinkingOptions {
  /** The number of operations of the workload. */
  readonly operations: number;
  /** Measures the workload without faults and without some operations. @default positions stay when operations are left out */
  readonly measure?: (without: readonly number[]) => Promise<RunLength>;
  /** The most trials. @default 60 */
  readonly budget?: number;
}

/** The fields of faults that are positions, and the length that each is counted along. */
const POSITIONS: Readonly<Record<string, keyof RunLength>> = {
  afterWrite: 'writes',
  ofWrite: 'writes',
  beforeAttempt: 'attempts',
  ofAttempt: 'attempts',
  ofRead: 'reads',
  fromReview: 'reviews',
  afterChange: 'changes',
  fromChange: 'changes',
  untilChange: 'changes',
};
/** The fields of faults that have a default. */
const OPTIONAL = ['forever', 'times', 'downtime', 'stays', 'retryAfter', 'replica', 'seconds', 'fromPatch', 'format'];
/** The fields that a kind of fault needs. */
const REQUIRED: Readonly<Record<string, readonly string[]>> = {
  'clock-jump': ['seconds'],
  'clock-skew': ['seconds'],
};

/**
 * Reduces a plan to what still shows the finding. It first leaves out faults, delays, and operations of the workload, then resets counts to their
 * defaults, and narrows ranges of changes.
 *
 * @returns the smallest plan that was found.
 */
export async function shrinkPlan(
  plan: SimulationPlan,
  trial: PlanTrial,
  { operations, measure, budget = 60 }: ShrinkingOptions,
): Promise<SimulationPlan> {
  const tried = new Set([keyOf(plan)]);
  let smallest = plan;
  for (let isSmaller = true; isSmaller;) {
    isSmaller = false;
    for await (const smaller of smallerPlans(smallest, operations, measure)) {
      if (tried.has(keyOf(smaller))) continue;
      if (tried.size > budget) return smallest;
      tried.add(keyOf(smaller));
      if (!(await trial(smaller))) continue;
      smallest = smaller;
      isSmaller = true;
      break;
    }
  }
  return smallest;
}

async function* smallerPlans(
  plan: SimulationPlan,
  operations: number,
  measure: ShrinkingOptions['measure'],
): AsyncGenerator<SimulationPlan> {
  const { faults, delays, states, ...rest } = plan;
  if (states) {
    for (const smaller of smallerStates(states)) yield { ...plan, states: smaller };
    return;
  }
  for (let index = faults.length - 1; index >= 0; index--) yield { ...plan, faults: faults.toSpliced(index, 1) };
  if (delays) yield { ...rest, faults };
  yield* withoutOperations(plan, operations, measure);
  for (let index = 0; index < faults.length; index++) {
    for (const fault of simplerFaults(faults[index]!)) yield { ...plan, faults: faults.with(index, fault) };
  }
}

/** Leaves out one more operation. The positions after it move. */
async function* withoutOperations(
  plan: SimulationPlan,
  operations: number,
  measure: ShrinkingOptions['measure'],
): AsyncGenerator<SimulationPlan> {
  const { without = [], faults } = plan;
  for (let number = operations; number >= 1; number--) {
    if (without.includes(number)) continue;
    const smaller = { ...plan, without: [...without, number].sort((one, other) => one - other) };
    yield smaller;
    if (!measure || faults.length === 0) continue;
    const [before, after] = [await measure(without), await measure(smaller.without)];
    const moved = faults.map((fault) => moveFault(fault, before, after));
    if (moved.every((fault) => fault !== undefined)) yield { ...smaller, faults: moved };
  }
}

/** Moves the positions of a fault forward by as much as a run has become shorter. @returns `undefined` if the run is too short */
function moveFault(fault: SimulationFault, before: RunLength, after: RunLength): SimulationFault | undefined {
  const moved = Object.entries(fault).map(([name, value]) => {
    const along = Object.hasOwn(POSITIONS, name) ? POSITIONS[name] : undefined;
    return [name, along ? Number(value) - before[along] + after[along] : value] as const;
  });
  if (moved.some(([name, value]) => Object.hasOwn(POSITIONS, name) && Number(value) < (name === 'afterChange' ? 0 : 1)))
    return undefined;
  return Object.fromEntries(moved) as unknown as SimulationFault;
}

function* simplerFaults(fault: SimulationFault): Generator<SimulationFault> {
  for (const name of OPTIONAL) {
    if (!Object.hasOwn(fault, name) || REQUIRED[fault.kind]?.includes(name)) continue;
    yield Object.fromEntries(Object.entries(fault).filter(([key]) => key !== name)) as unknown as SimulationFault;
  }
  if (fault.kind === 'clock-skew' && fault.untilChange !== undefined) {
    const { untilChange: _, ...constant } = fault;
    yield constant;
  }
  if (fault.kind !== 'stale' && fault.kind !== 'missed-events') return;
  const { fromChange, untilChange } = fault;
  if (untilChange === undefined) return;
  // First a range that ends earlier, then one that begins later: by half, and by one.
  const length = untilChange - fromChange;
  for (const less of new Set([Math.floor(length / 2), 1])) {
    if (less < 1 || length - less < 1) continue;
    yield { ...fault, untilChange: untilChange - less };
    yield { ...fault, fromChange: fromChange + less };
  }
}

function keyOf(plan: SimulationPlan): string {
  return JSON.stringify(plan);
}
