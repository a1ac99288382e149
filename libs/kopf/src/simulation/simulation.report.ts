import { describePlan, type SimulationPlan } from './simulation.plan.js';
import { formatTimeline, type TimelineEntry } from './run/timeline.js';
import type { Violation } from './oracles/violation.js';

/** Limits how many lines of a timeline are printed at its begin, and at its end. */
const [FIRST_LINES, LAST_LINES] = [40, 15];

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
  readonly timeline: readonly TimelineEntry[];
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
    const { findings, plans, coverage, milliseconds } = this;
    const faults = Object.entries(coverage.faults).map(([kind, count]) => `${kind} ${count}`);
    const lines = [
      `${plans} plans in ${(milliseconds / 1000).toFixed(1)} s, ${findings.length || 'no'} findings`,
      `faults: ${faults.join(', ') || 'none'}; crashed after ${coverage.crashedWrites} of ${coverage.writes} writes`,
    ];
    for (const [name, isReached] of Object.entries(coverage.sometimes)) {
      lines.push(`sometimes ${name}: ${isReached ? 'reached' : 'never reached'}`);
    }
    return [...lines, ...findings.map((finding, index) => formatFinding(finding, index + 1))].join('\n');
  }
}

function formatFinding(finding: SimulationFinding, number: number): string {
  const { check, message, others, plan, plans, operations, timeline } = finding;
  return [
    `\nFinding ${number}: ${check}: ${message}`,
    ...others.map((other) => `  also ${other.check}: ${other.message}`),
    `  ${describePlan(plan)}`,
    `  found by ${plans} of the plans; the smallest has ${plan.faults.length} faults and ${operations} operations:`,
    ...shorten(formatTimeline(timeline).split('\n')),
    `  to run it again: plans: [${JSON.stringify(plan)}]`,
  ].join('\n');
}

function shorten(lines: readonly string[]): readonly string[] {
  const left = lines.length - FIRST_LINES - LAST_LINES;
  if (left <= 1) return lines;
  return [...lines.slice(0, FIRST_LINES), `  … ${left} lines …`, ...lines.slice(-LAST_LINES)];
}
