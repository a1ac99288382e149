import type { Reference, RestedRun } from '../run/reference.runs.js';
import type { RunRecord } from '../run/run.record.js';
import type { SimulationOptions } from '../simulation.options.js';
import { compareWithCreation } from './changes.oracle.js';
import { exemptPlaces } from './exemptions.js';
import { compareFinalStates, differingPlaces, samePlaces } from './final.state.js';
import type { ExcusedProperty } from './property.oracle.js';
import type { Violation } from './violation.js';

/** The checks, in the order of how much their violations say about the reason. */
const GRAVITY: readonly Violation['check'][] = [
  'error',
  'always',
  'eventually',
  'hot-loop',
  'overlap',
  'leadership',
  'convergence',
  'budget',
  'stuck-deletion',
  'rejections',
  'surplus',
  'repetition',
  'retries',
  'delays',
  'final-state',
  'changes',
  'progress',
  'last-handled',
  'finalizers',
  'background',
  'indices',
  'leaks',
  'outdated',
];

/** The checks of the end that an operator need not pass if the last state of an object is refused. */
const ENDS: ReadonlySet<Violation['check']> = new Set(['convergence', 'error', 'eventually']);

/** The most telling violation. The others of the run mostly have the same reason. */
export function mostTelling(violations: readonly Violation[]): Violation | undefined {
  return violations.toSorted((one, other) => GRAVITY.indexOf(one.check) - GRAVITY.indexOf(other.check))[0];
}

/** The cause of a violation, which is the same in different plans: the check and its message, without values and numbers of times. */
export function causeOf({ check, message }: Violation): string {
  const cause = message
    .replace(/ is (?:(?! instead of |; ).)* instead of [^;]*/gs, ' differs')
    .replace(/\b(once|twice|\d+ times)\b/g, 'several times')
    .replace(/ #\d+\b/g, '')
    .replace(/, and \d+ more\b/g, '');
  return `${check} ${cause}`;
}

/** Finds the violations of a run, also in comparison with the runs without faults. */
export function evaluate(
  record: RunRecord,
  reference: Reference,
  { oracles = {}, ignore = [] }: SimulationOptions,
): readonly Violation[] {
  const isExempt = exemptPlaces(record);
  const isMasked = (place: string): boolean =>
    reference.mask.has(place) ||
    isExempt(place) ||
    ignore.some((pattern) => (typeof pattern === 'string' ? place.startsWith(pattern) : pattern.test(place)));
  if (reference.atRest.length > 0) return evaluateIntervention(record, reference, oracles, isMasked);
  if (record.plan.states) return evaluateChanges(record, reference, oracles, isMasked);
  const violations = [...record.violations];
  if (violations.some(isEnd)) return violations;
  if (oracles['final-state'] !== false)
    violations.push(...compareFinalStates(reference.states, record.state, isMasked));
  if (oracles.surplus !== false) violations.push(...record.counts.exceeding(reference.counts, isMasked));
  return violations;
}

/**
 * The properties of the end that did not hold after changes of an object, and need not hold, as its last state is refused: the API server rejects it, or
 * an operator that creates the object in this state gives up.
 */
export function refusedProperties(record: RunRecord, { clean: created }: Reference): readonly ExcusedProperty[] {
  if (!isRefusedState(record, created)) return [];
  const violations = record.violations.filter(({ check }) => check === 'eventually');
  return violations.map((violation) => ({ property: kindOf(violation), by: 'refused value' }));
}

/** Whether the last state is one that the operator need not reach. An operator that gives up only after other states must reach it. */
function isRefusedState({ plan, isRejected }: RunRecord, created: RunRecord): boolean {
  return plan.states !== undefined && (isRejected || created.isRefused);
}

/**
 * Finds the violations of a run in which the user changes an object, and of the runs in which it is created in its last state. If the operator or the
 * API server refuses the last state, the operator need not come to rest, and there is no expected end.
 */
function evaluateChanges(
  record: RunRecord,
  { clean: created, violations: others }: Reference,
  oracles: NonNullable<SimulationOptions['oracles']>,
  isMasked: (place: string) => boolean,
): readonly Violation[] {
  if (isRefusedState(record, created)) return record.violations.filter(({ check }) => !ENDS.has(check));
  const all = new Map([...record.violations, ...others].map((violation) => [causeOf(violation), violation]));
  const violations = [...all.values()];
  if (oracles.changes === false || violations.some(isEnd)) return violations;
  return [...violations, ...compareWithCreation(record, created, isMasked)];
}

/**
 * Finds the violations of a run with interventions. It may end as if the intervention had not happened, or as if it had happened while the operator
 * was at rest, before or after what it handles, or at the end. Each place is compared separately. The operator need not restore what another client
 * has changed, but it may, if it reads it anyway.
 */
function evaluateIntervention(
  record: RunRecord,
  { clean, states, counts, atRest }: Reference,
  oracles: NonNullable<SimulationOptions['oracles']>,
  isMasked: (place: string) => boolean,
): readonly Violation[] {
  const [after, other, ...further] = atRest as readonly [RestedRun, RestedRun, ...RestedRun[]];
  const isDrift = record.interventions.some(({ fault }) => fault.kind === 'drift');
  // A check that fails after an intervention at rest, too, does not depend on timing. Properties of the user always count.
  const unable = isDrift ? atRest.flatMap(({ violations }) => violations.filter((each) => !isOfUser(each))) : [];
  const known = new Set(unable.map(kindOf));
  const violations = record.violations.filter((violation) => !known.has(kindOf(violation)));
  if ([...record.violations, ...atRest.flatMap((run) => run.violations)].some(isEnd)) return violations;
  const mask = differingPlaces(after.state, other.state);
  const others = [clean, ...further].map(({ state }) => samePlaces(state, record.state, after.state));
  const isRight = (place: string): boolean =>
    mask.has(place) || isMasked(place) || others.some((places) => places.has(place));
  const right = [after.state, ...states.slice(1)];
  if (oracles['final-state'] !== false) violations.push(...compareFinalStates(right, record.state, isRight));
  // What is created for an object that is deleted at once is created again for the next one, and what was deleted is restored.
  const runs = [...counts, ...atRest.map((run) => run.counts)];
  if (oracles.surplus !== false)
    violations.push(...record.counts.exceeding(runs, isRight, record.interventions.length));
  return violations;
}

/** A run without an end cannot be compared. */
function isEnd({ check }: Violation): boolean {
  return check === 'convergence' || check === 'error' || check === 'budget';
}

/** Whether a property of the user is violated. */
function isOfUser({ check }: Violation): boolean {
  return check === 'always' || check === 'eventually';
}

/** The check and the rule of a violation, without what differs from run to run. */
function kindOf({ check, message }: Violation): string {
  return `${check} ${message.split(':', 1)[0]}`;
}
