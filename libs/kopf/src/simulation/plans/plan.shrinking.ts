import type { SimulationPlan } from '../simulation.plan.js';

/** Runs a plan, and tells whether it still shows what was found. */
export type PlanTrial = (plan: SimulationPlan) => Promise<boolean>;

/**
 * Leaves out of a plan what is not needed to show the same: faults first, then operations of the workload.
 *
 * @param operations the number of operations that the workload has.
 * @param budget limits the number of runs.
 * @returns the smallest plan that was found.
 */
export async function shrinkPlan(
  plan: SimulationPlan,
  operations: number,
  trial: PlanTrial,
  budget = 60,
): Promise<SimulationPlan> {
  let smallest = plan;
  let left = budget;
  for (let isSmaller = true; isSmaller && left > 0;) {
    isSmaller = false;
    for (const smaller of smallerPlans(smallest, operations)) {
      if (left <= 0) break;
      left -= 1;
      if (!(await trial(smaller))) continue;
      smallest = smaller;
      isSmaller = true;
      break;
    }
  }
  return smallest;
}

function* smallerPlans(plan: SimulationPlan, operations: number): Generator<SimulationPlan> {
  const { faults, without = [], delays, ...rest } = plan;
  const same = { ...rest, ...(without.length && { without }) };
  for (let index = faults.length - 1; index >= 0; index--) yield { ...plan, faults: faults.toSpliced(index, 1) };
  if (delays) yield { ...same, faults };
  for (let index = 0; index < faults.length; index++) {
    const fault = faults[index]!;
    if ('times' in fault && fault.times! > 1) yield { ...plan, faults: faults.with(index, { ...fault, times: 1 }) };
  }
  for (let number = operations; number >= 1; number--) {
    if (!without.includes(number)) yield { ...plan, without: [...without, number].sort((one, other) => one - other) };
  }
}
