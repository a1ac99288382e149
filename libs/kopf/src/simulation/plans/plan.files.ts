import { readFileSync, writeFileSync } from 'node:fs';
import type { SimulationPlan } from '../simulation.plan.js';
import type { SimulationFinding } from '../simulation.report.js';

/** The version of the files: plans of other versions lead to other runs. */
const VERSION = 1;

/**
 * Writes the plans of findings to a file that can be checked in.
 *
 * @example
 * writePlans('test/plans/volumes.json', report.findings);
 */
export function writePlans(
  path: string,
  findings: readonly Pick<SimulationFinding, 'plan' | 'check' | 'message'>[],
): void {
  const plans = findings.map(({ plan, check, message }) => ({ ...plan, found: `${check}: ${message}` }));
  writeFileSync(path, `${JSON.stringify({ version: VERSION, plans }, null, 2)}\n`);
}

/**
 * Reads plans that were found before, to run them again.
 *
 * @throws TypeError if it is not a file of plans of this version.
 * @example
 * const report = await simulate(AppModule, { workload, plans: readPlans('test/plans/volumes.json') });
 */
export function readPlans(path: string): readonly SimulationPlan[] {
  const { version, plans } = JSON.parse(readFileSync(path, 'utf8')) as { version?: number; plans?: SimulationPlan[] };
  if (version !== VERSION || !Array.isArray(plans))
    throw new TypeError(`${path} is no file of plans of version ${VERSION}.`);
  return plans;
}
