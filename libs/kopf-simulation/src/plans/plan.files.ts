import { readFileSync, writeFileSync } from 'node:fs';
import type { SimulationPlan } from '../simulation.plan.js';
import type { SimulationFinding } from '../simulation.result.js';

/** The version of the file format. Plans of another version lead to other runs. */
const VERSION = 1;

/** The contents of a file of plans. */
interface PlanFile {
  readonly version: number;
  readonly plans: readonly SimulationPlan[];
}

/**
 * Writes the plans of findings to a file that can be checked in, with the operations of the workload that they belong to.
 *
 * @example
 * writePlans('test/plans/volumes.json', report.findings);
 */
export function writePlans(
  path: string,
  findings: readonly (Pick<SimulationFinding, 'plan' | 'check' | 'message'> &
    Partial<Pick<SimulationFinding, 'workload'>>)[],
): void {
  const plans = findings.map(({ plan, check, message, workload }) => ({
    ...plan,
    ...(workload && { workload }),
    found: `${check}: ${message}`,
  }));
  const file: PlanFile = { version: VERSION, plans };
  writeFileSync(path, `${JSON.stringify(file, null, 2)}\n`);
}

/**
 * Reads plans that have found something before, to run them again. Each of their faults must happen; otherwise that is a finding.
 *
 * @throws TypeError if the file is no file of plans of this version, or one of its plans is invalid.
 *
 * @example
 * const report = await simulate(AppModule, { workload, plans: readPlans('test/plans/volumes.json') });
 */
export function readPlans(path: string): readonly SimulationPlan[] {
  const { version, plans } = parseJson(path, readFileSync(path, 'utf8')) as Partial<PlanFile>;
  if (version !== VERSION || !Array.isArray(plans)) {
    const found = version === undefined ? '' : ` It has version ${JSON.stringify(version)}.`;
    throw new TypeError(`${path} is no file of plans of version ${VERSION}.${found}`);
  }
  return plans.map((plan, index) => ({ found: 'something', ...checkPlan(`Plan ${index + 1} of ${path}`, plan) }));
}

/**
 * Reads one plan from JSON, as reports print it.
 *
 * @throws TypeError if the plan is invalid.
 */
export function parsePlan(text: string): SimulationPlan {
  return checkPlan('The plan', parseJson('The plan', text));
}

/**
 * Checks that a plan belongs to a workload, as its positions are counted along the workload.
 *
 * @param workload the operations of the workload that is about to be run.
 * @throws TypeError if the plan was found with other operations; the message has the first one that differs.
 */
export function requireWorkload({ workload: expected, states }: SimulationPlan, workload: readonly string[]): void {
  // A plan with states has operations derived from these states.
  if (!expected || states) return;
  const length = Math.max(expected.length, workload.length);
  for (let index = 0; index < length; index++) {
    if (expected[index] === workload[index]) continue;
    throw new TypeError(
      `A plan does not belong to this workload any more. Operation ${index + 1} was '${expected[index] ?? 'none'}' ` +
        `when it was found, and is '${workload[index] ?? 'none'}' now. Find and write the plans again.`,
    );
  }
}

function parseJson(name: string, text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new TypeError(`${name} is no JSON: ${(error as Error).message}`, { cause: error });
  }
}

function checkPlan(name: string, plan: unknown): SimulationPlan {
  const { seed, faults } = (plan ?? {}) as Partial<SimulationPlan>;
  if (!Number.isSafeInteger(seed)) throw new TypeError(`${name} has no seed, which is a whole number.`);
  if (!Array.isArray(faults) || !faults.every((fault) => typeof (fault as { kind?: unknown })?.kind === 'string')) {
    throw new TypeError(`${name} has no list of faults, each with a kind.`);
  }
  return plan as SimulationPlan;
}
