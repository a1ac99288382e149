import { readFileSync, writeFileSync } from 'node:fs';
import type { SimulationFinding } from 'nestjs-kopf-simulation';
import type { RegressionCase } from './regression.case.js';
import type { TrialResult } from './detection.trial.js';

/** The file of the figures, from the root of the workspace, where programs and tests are started. */
const FILE = 'test/simulation/regressions/detection.json';

/** The figures of a bug that plans of one kind have found. */
export interface BugDetection {
  /** The number of plans until it was found; 0 if that took no fault. */
  readonly plans: number;
  /** The faults of the smallest plan, and the operations of its workload; the states of the object, if it has some instead. */
  readonly faults: number;
  readonly operations: number;
}

/** The figures of a regression case. */
export interface CaseDetection {
  readonly name: string;
  /** Absent if no plan of the kind has found the bug. */
  readonly exhaustive?: BugDetection;
  readonly random?: BugDetection;
  /** The plans of both kinds that the fixed variant was run with, and its trials that have found something. */
  readonly fixedPlans: number;
  readonly alarms: number;
}

/** Sums up the trials of each case. */
export function summarize(cases: readonly RegressionCase[], made: readonly TrialResult[]): readonly CaseDetection[] {
  return cases.map(({ name }) => {
    const trials = made.filter((trial) => trial.name === name);
    const bugs = trials.filter(({ variant }) => variant === 'bug');
    const fixed = trials.filter(({ variant }) => variant === 'fixed');
    return {
      name,
      exhaustive: detectionOf(bugs.findLast(({ plans }) => plans === 'exhaustive')),
      random: detectionOf(bugs.findLast(({ plans }) => plans === 'random')),
      fixedPlans: fixed.reduce((sum, { run }) => sum + run, 0),
      alarms: fixed.filter(({ finding }) => finding).length,
    };
  });
}

function detectionOf(trial: TrialResult | undefined): BugDetection | undefined {
  if (!trial?.finding) return undefined;
  return { plans: trial.run, faults: trial.finding.plan.faults.length, operations: operationsOf(trial.finding) };
}

/** Counts what the user does in a plan: the operations of the workload, or the states that he brings the object into instead. */
export function operationsOf({ plan, operations }: Pick<SimulationFinding, 'plan' | 'operations'>): number {
  return plan.states?.length ?? operations;
}

/** Reads the figures that `npm run bench:simulation -- regressions` has written. */
export function readDetection(): readonly CaseDetection[] {
  return JSON.parse(readFileSync(FILE, 'utf8')) as readonly CaseDetection[];
}

/** Writes the figures that the table of the guide sums up. */
export function writeDetection(detection: readonly CaseDetection[]): void {
  writeFileSync(FILE, `${JSON.stringify(detection, undefined, 2)}\n`);
}
