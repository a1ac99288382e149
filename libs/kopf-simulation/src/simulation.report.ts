import { writeFileSync } from 'node:fs';
import type { SimulationCoverage } from './simulation.coverage.js';
import type { OperatorEvent } from 'nestjs-kopf/inspection';
import type { SimulationPlan } from './simulation.plan.js';
import { renderPage } from './report/report.page.js';
import { formatReport } from './report/report.text.js';
import type { Violation } from './oracles/violation.js';

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

/** The version of the shape of {@link SimulationReport.toJSON}. */
const JSON_VERSION = 1;

/**
 * The result of a simulation. `String(report)` is a text for people, `JSON.stringify(report)` one for programs, and `report.writeHtml(path)` a page
 * with the event logs of all findings.
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

  /** The report as plain data. Later versions of the package add members, and change the meaning of members only with `version`. */
  toJSON(): SimulationResult & { readonly version: number } {
    return { version: JSON_VERSION, ...this };
  }

  /** The report as a self-contained page, which loads nothing. Contents of objects are text in it. */
  toHtml(): string {
    return renderPage(this);
  }

  /** Writes the page to a file. */
  writeHtml(path: string): void {
    writeFileSync(path, this.toHtml());
  }
}
