import { writeFileSync } from 'node:fs';
import type { SimulationCoverage } from './simulation.coverage.js';
import { renderPage } from './report/report.page.js';
import { formatReport } from './report/report.text.js';
import type { SimulationFinding, SimulationResult } from './simulation.result.js';

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
