import { exhaustivePlans } from '../plans/plan.exhaustive.js';
import type { ExcusedProperty } from '../oracles/property.oracle.js';
import type {
  SimulationCallCoverage,
  SimulationCoverage,
  SimulationExcuse,
  SimulationPointCoverage,
} from '../simulation.coverage.js';
import { describeFault, type SimulationFault } from '../simulation.plan.js';
import { parseCoveredCall } from './call.coverage.js';
import type { RunRecord } from './run.record.js';

/** Fields for the extent of a fault, not for the point at which it begins. */
const MODIFIERS: ReadonlySet<string> = new Set([
  'downtime',
  'times',
  'stays',
  'seconds',
  'retryAfter',
  'replica',
  'patch',
  'untilChange',
  'forever',
  'excuses',
]);

/** Adds up what the runs of a simulation have tried. */
export class CoverageTally {
  private readonly reached = new Set<string>();
  private readonly faults = new Map<string, number>();
  private readonly unmet = new Set<string>();
  private readonly excused = new Map<string, SimulationExcuse>();
  private readonly points = new Set<string>();
  private readonly crashed = new Set<number>();
  private readonly calls = new Map<string, number>();

  /** @param sometimes the names of the properties that must hold at some time. */
  constructor(private readonly sometimes: readonly string[]) {}

  /** The `sometimes` properties that have never held. */
  get unreached(): readonly string[] {
    return this.sometimes.filter((name) => !this.reached.has(name));
  }

  /** Whether no handler was called in any run. */
  get isIdle(): boolean {
    return this.calls.size === 0;
  }

  /** Records a run. @returns whether it has called a handler in a new way */
  note({ reached, fired, missed, covered, excused }: RunRecord): boolean {
    this.excuse(excused);
    for (const fault of missed) this.unmet.add(describeFault(fault));
    for (const name of reached) this.reached.add(name);
    for (const fault of fired) {
      this.faults.set(fault.kind, (this.faults.get(fault.kind) ?? 0) + 1);
      this.points.add(pointOf(fault));
      if (fault.kind === 'crash' && 'afterWrite' in fault) this.crashed.add(fault.afterWrite);
    }
    const known = this.calls.size;
    for (const key of covered) this.calls.set(key, (this.calls.get(key) ?? 0) + 1);
    return this.calls.size > known;
  }

  /** Records the properties that did not hold in a run, and need not hold in it. */
  excuse(properties: readonly ExcusedProperty[]): void {
    for (const { property, by } of properties) {
      const key = JSON.stringify([property, by]);
      this.excused.set(key, { property, by, runs: (this.excused.get(key)?.runs ?? 0) + 1 });
    }
  }

  /** @param clean a run without faults, whose points are the total for this number of replicas */
  summarize(clean: RunRecord, replicas?: number): SimulationCoverage {
    return {
      writes: clean.writes,
      crashedWrites: this.crashed.size,
      faults: Object.fromEntries(this.faults),
      unmet: [...this.unmet],
      excused: [...this.excused.values()],
      sometimes: Object.fromEntries(this.sometimes.map((name) => [name, this.reached.has(name)])),
      points: this.countPoints(clean, replicas),
      calls: this.listCalls(),
    };
  }

  private countPoints(clean: RunRecord, replicas?: number): Readonly<Record<string, SimulationPointCoverage>> {
    const all = new Map<string, string>();
    for (const { faults } of exhaustivePlans(clean, 1, replicas))
      for (const fault of faults) all.set(pointOf(fault), fault.kind);
    const counts: Record<string, { tried: number; total: number }> = {};
    for (const [point, kind] of all) {
      const count = (counts[kind] ??= { tried: 0, total: 0 });
      count.total += 1;
      if (this.points.has(point)) count.tried += 1;
    }
    return counts;
  }

  private listCalls(): readonly SimulationCallCoverage[] {
    const calls = [...this.calls].map(([key, runs]) => ({ ...parseCoveredCall(key), runs }));
    const orderOf = ({ handler, cause, attempt, fault }: SimulationCallCoverage): string =>
      JSON.stringify([handler, cause, fault ?? '', attempt]);
    return calls.sort((one, other) => (orderOf(one) < orderOf(other) ? -1 : 1));
  }
}

function pointOf(fault: SimulationFault): string {
  return JSON.stringify(Object.entries(fault).filter(([name]) => !MODIFIERS.has(name)));
}
