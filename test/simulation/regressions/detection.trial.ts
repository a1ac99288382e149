import { appendFileSync, existsSync, readFileSync } from 'node:fs';
import type { SimulationOptions, SimulationPlan } from 'nestjs-kopf-simulation';
import { simulateCase } from './regression.case.js';
import { REGRESSION_CASES } from './regression.cases.js';

/** A series of plans that is run with one variant of a regression case, to measure how soon it finds something. */
export interface DetectionTrial {
  readonly name: string;
  readonly variant: 'bug' | 'fixed';
  readonly plans: 'exhaustive' | 'random';
  /** The most plans that are run. */
  readonly count: number;
  /** The seed of the first plan, if they are drawn; the others have those after it. */
  readonly seed: number;
}

/** A trial with its result. */
export interface TrialResult extends DetectionTrial {
  /** The number of plans that were run. With a bug, the last one has found it. */
  readonly run: number;
  readonly cpuSeconds: number;
  readonly finding?: {
    readonly check: string;
    readonly message: string;
    /** The operations of the workload that the smallest plan has. */
    readonly operations: number;
    readonly plan: SimulationPlan;
    readonly foundBy: SimulationPlan;
  };
}

/** Runs the plans: those of a bug until one finds it. */
export async function runTrial(given: DetectionTrial): Promise<TrialResult> {
  const { name, variant, plans, count: limit, seed } = given;
  const regression = REGRESSION_CASES.find((each) => each.name === name)!;
  const before = process.cpuUsage();
  const options: Partial<SimulationOptions> = {
    // Changes are drawn by the seed of the simulation, and each share of the random plans is to have others.
    ...(regression.options.changes && { seed }),
    plans: plans === 'exhaustive' ? plans : { random: limit, seed },
    limit,
    ...(variant === 'bug' && { stopAfter: 1 }),
  };
  const report = await simulateCase(regression, regression[variant], options);
  const { user, system } = process.cpuUsage(before);
  const cpuSeconds = Math.round((user + system) / 10_000) / 100;
  const made = { ...given, run: report.plans, cpuSeconds };
  const [finding] = report.findings;
  if (!finding) return made;
  const { check, message, operations, plan, foundBy } = finding;
  return { ...made, finding: { check, message, operations, plan, foundBy } };
}

/** Appends the result of a trial to a file. */
export function appendResult(path: string, made: TrialResult): void {
  appendFileSync(path, `${JSON.stringify(made)}\n`);
}

/** Reads the results of trials from a file. A line that was cut off by the end of a process is left out. */
export function readResults(path: string): readonly TrialResult[] {
  if (!existsSync(path)) return [];
  const lines = readFileSync(path, 'utf8').split('\n').slice(0, -1);
  return lines.map((line) => JSON.parse(line) as TrialResult);
}
