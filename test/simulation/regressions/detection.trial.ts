import { appendFileSync, existsSync, readFileSync } from 'node:fs';
import type { SimulationOptions, SimulationPlan } from 'nestjs-kopf/simulation';
import { visit } from './exhibit.js';
import { EXHIBITS } from './museum.js';

/** Some plans that are run with one of the twins of an exhibit. */
export interface Visit {
  readonly name: string;
  readonly twin: 'bug' | 'mended';
  readonly plans: 'exhaustive' | 'random';
  /** The most plans that are run. */
  readonly count: number;
  /** The seed of the first plan, if they are drawn; the others have those after it. */
  readonly seed: number;
}

/** A visit with what has come of it. */
export interface MadeVisit extends Visit {
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
export async function makeVisit(given: Visit): Promise<MadeVisit> {
  const { name, twin, plans, count: limit, seed } = given;
  const exhibit = EXHIBITS.find((each) => each.name === name)!;
  const before = process.cpuUsage();
  const options: Partial<SimulationOptions> = {
    // Changes are drawn by the seed of the simulation, and each share of the random plans is to have others.
    ...(exhibit.options.changes && { seed }),
    plans: plans === 'exhaustive' ? plans : { random: limit, seed },
    limit,
    ...(twin === 'bug' && { stopAfter: 1 }),
  };
  const report = await visit(exhibit, exhibit[twin], options);
  const { user, system } = process.cpuUsage(before);
  const cpuSeconds = Math.round((user + system) / 10_000) / 100;
  const made = { ...given, run: report.plans, cpuSeconds };
  const [finding] = report.findings;
  if (!finding) return made;
  const { check, message, operations, plan, foundBy } = finding;
  return { ...made, finding: { check, message, operations, plan, foundBy } };
}

/** Notes a visit in a file of results. */
export function appendVisit(path: string, made: MadeVisit): void {
  appendFileSync(path, `${JSON.stringify(made)}\n`);
}

/** Reads the visits that a file of results has. A line that was cut off by the end of a process is left out. */
export function readVisits(path: string): readonly MadeVisit[] {
  if (!existsSync(path)) return [];
  const lines = readFileSync(path, 'utf8').split('\n').slice(0, -1);
  return lines.map((line) => JSON.parse(line) as MadeVisit);
}
