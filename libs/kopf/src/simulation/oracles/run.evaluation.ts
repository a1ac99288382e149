import type { Reference } from '../run/reference.runs.js';
import type { RunRecord } from '../run/run.record.js';
import type { SimulationOptions } from '../simulation.options.js';
import { compareWithCreation } from './changes.oracle.js';
import { compareFinalStates } from './final.state.js';
import type { Violation } from './violation.js';

/** The checks, those first whose violations say most about the reason. */
const GRAVITY: readonly Violation['check'][] = [
  'error',
  'always',
  'hot-loop',
  'overlap',
  'convergence',
  'stuck-deletion',
  'rejections',
  'surplus',
  'eventually',
  'repetition',
  'final-state',
  'changes',
  'progress',
  'last-handled',
  'finalizers',
  'background',
  'indices',
  'leaks',
];

/** The violation that stands for the others, which mostly have the same reason. */
export function gravest(violations: readonly Violation[]): Violation | undefined {
  return violations.toSorted((one, other) => GRAVITY.indexOf(one.check) - GRAVITY.indexOf(other.check))[0];
}

/** Finds what is wrong in a run, by itself and beside the runs without faults. */
export function evaluate(
  record: RunRecord,
  reference: Reference,
  { oracles = {}, ignore = [] }: SimulationOptions,
): readonly Violation[] {
  const isMasked = (place: string): boolean =>
    reference.mask.has(place) ||
    ignore.some((pattern) => (typeof pattern === 'string' ? place.startsWith(pattern) : pattern.test(place)));
  const violations = [...record.violations];
  // An object that the operator cannot bring about is no finding: the user wants too much.
  if (record.plan.states && reference.violations.length > 0) return [];
  // Without an end there is nothing to compare.
  if (violations.some(({ check }) => check === 'convergence' || check === 'error')) return violations;
  if (record.plan.states) {
    return oracles.changes === false
      ? violations
      : [...violations, ...compareWithCreation(record, reference.clean, isMasked)];
  }
  if (oracles['final-state'] !== false)
    violations.push(...compareFinalStates(reference.states, record.state, isMasked));
  if (oracles.surplus !== false) violations.push(...record.counts.exceeding(reference.counts, isMasked));
  return violations;
}
