import type { RegressionCase } from './regression.case.js';
import type { TrialResult, DetectionTrial } from './detection.trial.js';

/** The random plans of one trial of a fixed variant: so few that false alarms show early in all of them. */
const SHARE = 250;

/**
 * The trials that can be run next: first both kinds of plans for bugs, and exhaustive plans for fixed variants. These show how many exhaustive
 * plans a fixed variant has; random plans then make up the rest of its number.
 *
 * @param plans the most plans of a bug of each kind, and the plans of a fixed variant.
 * @param made the results so far, whose trials are not run again.
 */
export function planTrials(
  cases: readonly RegressionCase[],
  plans: number,
  made: readonly TrialResult[],
): readonly DetectionTrial[] {
  const isMade = (trial: DetectionTrial): boolean => made.some((other) => keyOf(other) === keyOf(trial));
  const leftOf = (trials: readonly DetectionTrial[]): readonly DetectionTrial[] =>
    trials.filter((trial) => !isMade(trial));
  const bugs = cases.flatMap(({ name }): DetectionTrial[] => [
    { name, variant: 'bug', plans: 'exhaustive', count: plans, seed: 1 },
    { name, variant: 'bug', plans: 'random', count: plans, seed: 1 },
  ]);
  const fixed = cases.map(({ name }): DetectionTrial => {
    return { name, variant: 'fixed', plans: 'exhaustive', count: plans, seed: 1 };
  });
  const left = leftOf([...bugs, ...fixed]);
  if (left.length > 0) return left;
  const exhaustive = made.filter((trial) => fixed.some((each) => keyOf(each) === keyOf(trial)));
  const shares = exhaustive.flatMap(({ name, run }) => sharesOf(name, plans - run));
  return leftOf(shares.toSorted((one, other) => one.seed - other.seed));
}

function sharesOf(name: string, random: number): readonly DetectionTrial[] {
  const seeds = Array.from({ length: Math.ceil(random / SHARE) }, (_, index) => 1 + index * SHARE);
  return seeds.map((seed) => {
    return { name, variant: 'fixed', plans: 'random', count: Math.min(SHARE, 1 + random - seed), seed };
  });
}

function keyOf({ name, variant, plans, count, seed }: DetectionTrial): string {
  return JSON.stringify([name, variant, plans, count, seed]);
}
