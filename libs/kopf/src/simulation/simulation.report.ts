import type { SimulationEvent } from './simulation.event.js';
import type { SimulationPlan } from './simulation.plan.js';
import { formatReport } from './report/report.text.js';
import type { Violation } from './oracles/violation.js';

/** Something that a simulation has found, in the smallest plan that still shows it. */
export interface SimulationFinding extends Violation {
  /** The other violations in the same run. */
  readonly others: readonly Violation[];
  readonly plan: SimulationPlan;
  /** The plan by which it was found first. */
  readonly foundBy: SimulationPlan;
  /** Counts the plans that have found the same. */
  readonly plans: number;
  /** The number of operations that the workload has in the smallest plan. */
  readonly operations: number;
  /** Everything that has happened in the run of the smallest plan. */
  readonly timeline: readonly SimulationEvent[];
}

/** Counts what was tried. */
export interface SimulationCoverage {
  /** The writes and effects of the operator in the run without faults, and after how many of them it has crashed. */
  readonly writes: number;
  readonly crashedWrites: number;
  /** The faults that came to pass, by their kinds. */
  readonly faults: Readonly<Record<string, number>>;
  /** The properties that must hold at some time, and whether they did. */
  readonly sometimes: Readonly<Record<string, boolean>>;
}

/** The contents of a report. */
export interface SimulationResult {
  readonly findings: readonly SimulationFinding[];
  /** The number of plans that were run. */
  readonly plans: number;
  readonly seed: number;
  readonly coverage: SimulationCoverage;
  /** The real time that it has taken, in milliseconds. */
  readonly milliseconds: number;
}

/** All that has come of a simulation. `String(report)` is a text for people, `JSON.stringify(report)` one for programs. */
export class SimulationReport implements SimulationResult {
  readonly findings: readonly SimulationFinding[];
  readonly plans: number;
  readonly seed: number;
  readonly coverage: SimulationCoverage;
  readonly milliseconds: number;

  /** @internal */
  constructor({ findings, plans, seed, coverage, milliseconds }: SimulationResult) {
    this.findings = findings;
    this.plans = plans;
    this.seed = seed;
    this.coverage = coverage;
    this.milliseconds = milliseconds;
  }

  toString(): string {
    return formatReport(this);
  }
}
