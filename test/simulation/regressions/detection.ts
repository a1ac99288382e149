import { readFileSync, writeFileSync } from 'node:fs';
import type { SimulationFinding } from 'nestjs-kopf/simulation';
import type { Exhibit } from './exhibit.js';
import type { MadeVisit } from './visit.js';

/** The file of the figures, from the root of the workspace, where programs and tests are started. */
const FILE = 'test/simulation/museum/detection.json';

/** The figures of a bug that plans of one kind have found. */
export interface BugDetection {
  /** The number of plans until it was found; 0 if that took no fault. */
  readonly plans: number;
  /** The faults of the smallest plan, and the operations of its workload; the states of the object, if it has some instead. */
  readonly faults: number;
  readonly operations: number;
}

/** The figures of an exhibit. */
export interface ExhibitDetection {
  readonly name: string;
  /** Absent if no plan of the kind has found the bug. */
  readonly exhaustive?: BugDetection;
  readonly random?: BugDetection;
  /** The plans of both kinds that the mended twin was run with, and those visits of it that have found something. */
  readonly mendedPlans: number;
  readonly alarms: number;
}

/** Sums up the visits of the museum. */
export function summarize(exhibits: readonly Exhibit[], made: readonly MadeVisit[]): readonly ExhibitDetection[] {
  return exhibits.map(({ name }) => {
    const visits = made.filter((visit) => visit.name === name);
    const bugs = visits.filter(({ twin }) => twin === 'bug');
    const mended = visits.filter(({ twin }) => twin === 'mended');
    return {
      name,
      exhaustive: detectionOf(bugs.findLast(({ plans }) => plans === 'exhaustive')),
      random: detectionOf(bugs.findLast(({ plans }) => plans === 'random')),
      mendedPlans: mended.reduce((sum, { run }) => sum + run, 0),
      alarms: mended.filter(({ finding }) => finding).length,
    };
  });
}

function detectionOf(visit: MadeVisit | undefined): BugDetection | undefined {
  if (!visit?.finding) return undefined;
  return { plans: visit.run, faults: visit.finding.plan.faults.length, operations: operationsOf(visit.finding) };
}

/** Counts what the user does in a plan: the operations of the workload, or the states that he brings the object into instead. */
export function operationsOf({ plan, operations }: Pick<SimulationFinding, 'plan' | 'operations'>): number {
  return plan.states?.length ?? operations;
}

/** Reads the figures that `npm run bench:simulation -- museum` has written. */
export function readDetection(): readonly ExhibitDetection[] {
  return JSON.parse(readFileSync(FILE, 'utf8')) as readonly ExhibitDetection[];
}

/** Writes the figures that the table of the guide sums up. */
export function writeDetection(detection: readonly ExhibitDetection[]): void {
  writeFileSync(FILE, `${JSON.stringify(detection, undefined, 2)}\n`);
}
