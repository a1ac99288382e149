import type { OperatorEvent } from 'nestjs-kopf/inspection';
import type { Violation } from './oracles/violation.js';
import type { SimulationCoverage } from './simulation.coverage.js';
import type { SimulationPlan } from './simulation.plan.js';

/** A finding of a simulation, with the smallest plan that still shows it. */
export interface SimulationFinding extends Violation {
  /** The other violations in the same run. */
  readonly others: readonly Violation[];
  readonly plan: SimulationPlan;
  /** The plan that has found it first. */
  readonly foundBy: SimulationPlan;
  /** The number of plans that have found the same. */
  readonly plans: number;
  /** The operations of the workload, in words, also those that the smallest plan leaves out. */
  readonly workload: readonly string[];
  /** The number of operations that the workload has in the smallest plan. */
  readonly operations: number;
  /** The event log of the run of the smallest plan. */
  readonly timeline: readonly OperatorEvent[];
}

/** The contents of a report. */
export interface SimulationResult {
  readonly findings: readonly SimulationFinding[];
  /** The number of plans that were run. */
  readonly plans: number;
  readonly seed: number;
  readonly coverage: SimulationCoverage;
  /** The hash of everything that has happened in all runs: the same for the same operator, options, and version of this package. */
  readonly digest: string;
  /** The real time that the simulation has taken, in milliseconds. */
  readonly milliseconds: number;
  /** The file that exports the simulation, with which findings can be run again by `kopf simulate`. */
  readonly file?: string;
}
