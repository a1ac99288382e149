import type { SchedulePlan } from './schedule.plan.js';

/** Runs a plan and tells what is wrong in it, in the words of the outcome. */
export type Trial = (plan: SchedulePlan) => Promise<readonly string[]>;

/** The name of the invariant that a violation is of. */
export function invariantOf(violation: string): string {
  return violation.split(':')[0]!;
}

/**
 * Leaves out of a plan what is not needed for the same invariant to be violated: steps first, then handlers.
 *
 * @param budget how many runs it may take
 * @returns the smallest plan that was found
 */
export async function shrinkPlan(plan: SchedulePlan, trial: Trial, budget = 150): Promise<SchedulePlan> {
  const [violation] = await trial(plan);
  if (violation === undefined) return plan;
  const invariant = invariantOf(violation);
  let smallest = plan;
  let left = budget;
  const tryOut = async (smaller: SchedulePlan): Promise<boolean> => {
    left -= 1;
    const violations = await trial(smaller);
    if (!violations.some((text) => invariantOf(text) === invariant)) return false;
    smallest = smaller;
    return true;
  };
  for (let isSmaller = true; isSmaller && left > 0;) {
    isSmaller = false;
    for (const smaller of smallerPlans(smallest)) {
      if (left <= 0) break;
      if (!(await tryOut(smaller))) continue;
      isSmaller = true;
      break;
    }
  }
  return smallest;
}

/** The plans that have one thing less, those first that save most. */
function* smallerPlans(plan: SchedulePlan): Generator<SchedulePlan> {
  const { steps, operator } = plan;
  const { handlers } = operator;
  for (let size = steps.length >> 1; size >= 1; size >>= 1) {
    for (let index = steps.length - size; index >= 0; index -= size) {
      yield { ...plan, steps: steps.toSpliced(index, size) };
    }
  }
  for (let index = handlers.length - 1; index >= 0; index--) {
    yield { ...plan, operator: { ...operator, handlers: handlers.toSpliced(index, 1) } };
  }
}
