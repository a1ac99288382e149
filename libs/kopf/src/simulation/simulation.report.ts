import { writeFileSync } from 'node:fs';
import type { SimulationCoverage } from './simulation.coverage.js';
import type { OperatorEvent } from '../inspection/event-log/operator.event.js';
import type { SimulationPlan } from './simulation.plan.js';
import { renderPage } from './report/report.page.js';
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
  /** The operations of the workload, in words, also those that the smallest plan leaves out. */
  readonly workload: readonly string[];
  /** The number of operations that the workload has in the smallest plan. */
  readonly operations: number;
  /** Everything that has happened in the run of the smallest plan. */
  readonly timeline: readonly OperatorEvent[];
}

/** The contents of a report. */
export interface SimulationResult {
  readonly findings: readonly SimulationFinding[];
  /** The number of plans that were run. */
  readonly plans: number;
  readonly seed: number;
  readonly coverage: SimulationCoverage;
  /** The hash of all that has happened in all runs: the same for the same operator, options, and version of this package. */
  readonly digest: string;
  /** The real time that it has taken, in milliseconds. */
  readonly milliseconds: number;
  /** The file that exports the simulation, with which findings can be run again by `kopf simulate`. */
  readonly file?: string;
}

/** The version of the shape of {@link SimulationReport.toJSON}. */
const JSON_VERSION = 1;

/**
 * All that has come of a simulation. `String(report)` is a text for people, `JSON.stringify(report)` one for programs, and
 * `report.writeHtml(path)` a page with the event logs of all findings.
 */
export class SimulationReport implements SimulationResult {
  readonly findings: readonly SimulationFinding[];
  readonly plans: number;
  readonly seed: number;
  readonly coverage: SimulationCoverage;
  readonly digest: string;
  readonly milliseconds: number;
  readonly file?: string;

  /** @internal */
  constructor({ findings, plans, seed, coverage, digest, milliseconds, file }: SimulationResult) {
    this.findings = findings;
    this.plans = plans;
    this.seed = seed;
    this.coverage = coverage;
    this.digest = digest;
    this.milliseconds = milliseconds;
    if (file !== undefined) this.file = file;
  }

  toString(): string {
    return formatReport(this);
  }

  /** The same as plain data. Members are added in later versions of the package, and change their meaning only with `version`. */
  toJSON(): SimulationResult & { readonly version: number } {
    return { version: JSON_VERSION, ...this };
  }

  /** The same as a page that needs nothing beside itself, and loads nothing. What objects hold is text in it. */
  toHtml(): string {
    return renderPage(this);
  }

  /** Writes the page to a file. */
  writeHtml(path: string): void {
    writeFileSync(path, this.toHtml());
  }
}
