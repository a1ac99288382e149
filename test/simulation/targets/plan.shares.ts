import type { RandomKind } from './random.operator.js';
import { randomName } from './random.target.js';
import { FIXED_TARGETS } from './targets.js';

/** Some of the plans of a simulation: those of one target. */
export interface PlanShare {
  /** The name of the target. */
  readonly name: string;
  readonly plans: number;
  /** The seed of the first plan; the others have those after it. */
  readonly seed: number;
}

/** The plans of one random operator: a few of each show more than many of few operators. */
const PLANS_OF_OPERATOR = 20;
/** The kinds of random operators in turn. Those of several resources take the most time, and come half as often. */
const USUAL_KINDS: readonly RandomKind[] = [
  'plain',
  'related',
  'recreating',
  'admitting',
  'selecting',
  'replicated',
  'varied',
];
const KINDS: readonly RandomKind[] = [...USUAL_KINDS, 'mixed', ...USUAL_KINDS];
/** The plans of one share, so that shares fit into processes. */
const SHARE_LIMIT = 100;

/**
 * Shares plans out: half of them to random operators, of all kinds in turn, the others to the applications of this project.
 *
 * @param seed decides on the random operators, on the kind of the first one, and on the plans.
 * @param names of targets which get all plans instead.
 */
export function sharesOf(plans: number, seed: number, names?: readonly string[]): readonly PlanShare[] {
  const fixed = names ?? FIXED_TARGETS.map(({ name }) => name);
  const random = names ? 0 : Math.floor(plans / 2);
  const shares: PlanShare[] = [];
  fixed.forEach((name, index) => {
    const end = Math.floor(((plans - random) * (index + 1)) / fixed.length);
    const begin = Math.floor(((plans - random) * index) / fixed.length);
    for (let at = begin; at < end; at += SHARE_LIMIT) {
      shares.push({ name, plans: Math.min(SHARE_LIMIT, end - at), seed: seed + at - begin });
    }
  });
  for (let at = 0; at < random; at += PLANS_OF_OPERATOR) {
    const index = at / PLANS_OF_OPERATOR;
    const name = randomName(seed + index, KINDS[(seed + index) % KINDS.length]);
    shares.push({ name, plans: Math.min(PLANS_OF_OPERATOR, random - at), seed });
  }
  return shares;
}
