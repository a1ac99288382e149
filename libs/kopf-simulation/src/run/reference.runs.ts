import { stringifyJson } from 'kube-common';
import { differingPlaces, type FinalState } from '../oracles/final.state.js';
import type { ObjectCounts } from '../oracles/object.counts.js';
import type { Violation } from '../oracles/violation.js';
import type { SimulationPlan } from '../simulation.plan.js';
import type { PreparedWorld } from '../world/prepared.world.js';
import type { TimedIntervention } from './interventions.js';
import type { RunRecord } from './run.record.js';
import { SimulationRun } from './simulation.run.js';

/** The most runs with interventions that are cached. Others are run again: with very many plans, most of these runs serve few plans. */
const MOST_RESTED = 500;

/** The part of a run with interventions that others are compared with. Many are cached, and their timelines would take most of the memory. */
export type RestedRun = Pick<RunRecord, 'state' | 'counts' | 'violations'>;

/** Runs without faults, which other runs are compared with. */
export interface Reference {
  readonly clean: RunRecord;
  /**
   * The expected ends: that of the run without faults; and, if there are concurrent edits, that of a run in which the operator sees only the last
   * state of each series.
   */
  readonly states: readonly FinalState[];
  readonly counts: readonly ObjectCounts[];
  /** The places that differ between two runs without faults. */
  readonly mask: ReadonlySet<string>;
  readonly runs: readonly RunRecord[];
  readonly violations: readonly Violation[];
  /**
   * Runs in which the same interventions are made while the operator is at rest: after the operations of the user, the same with another seed, before
   * the operations, and after the whole workload; and with each of several interventions alone. Empty without interventions.
   */
  readonly atRest: readonly RestedRun[];
}

/** Runs the operations of plans without faults, once for all plans with the same operations. */
export class ReferenceRuns {
  private readonly references = new Map<string, Promise<Reference>>();

  private readonly rested = new Map<string, Promise<RestedRun>>();

  constructor(
    private readonly world: PreparedWorld,
    private readonly execute: (plan: SimulationPlan) => Promise<RunRecord>,
  ) {}

  /** The runs without faults that have the operations of a plan. */
  of({ without = [], states }: Partial<SimulationPlan>): Promise<Reference> {
    // Whatever the user has changed, the run must end as if the object had been created in its last state.
    const same = { ...(without.length > 0 && { without }), ...(states && { states: states.slice(-1) }) };
    const key = stringifyJson(same);
    let reference = this.references.get(key);
    if (!reference) {
      reference = this.create(same);
      this.references.set(key, reference);
    }
    return reference;
  }

  /**
   * The runs in which the interventions of a run are made while the operator is at rest. Each is executed on demand.
   *
   * An intervention during the handling of something may count as before or after it: both are right. It may even count as after the whole workload,
   * as an operator need not see each of the further steps.
   */
  async *atRest({ plan: { without }, interventions }: RunRecord): AsyncGenerator<RestedRun> {
    const seed = this.world.options.seed ?? 1;
    const plan: SimulationPlan = { seed, faults: [], without };
    yield this.rest(plan, interventions);
    // A run with another seed shows what may differ.
    yield this.rest({ ...plan, seed: seed + 1, delays: true }, interventions);
    const before = interventions.map((made) => ({ ...made, operation: made.rested }));
    yield this.rest(plan, before);
    const { clean } = await this.of({ without });
    const operation = clean.operations;
    const late = interventions.map((made) => ({ ...made, operation }));
    yield this.rest(plan, late);
    // One of several interventions may be impossible at rest after another one, as nothing restores the object by then.
    for (const made of interventions.length > 1 ? interventions : []) yield this.rest(plan, [made]);
  }

  /** Makes interventions while the operator is at rest, once for all runs that are compared with this one. */
  private rest(plan: SimulationPlan, atRest: readonly TimedIntervention[]): Promise<RestedRun> {
    // The change after which an intervention was made does not matter at rest.
    const key = stringifyJson([plan, atRest.map(({ fault, operation }) => [{ ...fault, afterChange: 0 }, operation])]);
    let run = this.rested.get(key);
    if (!run) {
      run = this.executeAtRest(plan, atRest);
      this.rested.set(key, run);
      const [oldest] = this.rested.keys();
      if (this.rested.size > MOST_RESTED) this.rested.delete(oldest);
    }
    return run;
  }

  private async executeAtRest(plan: SimulationPlan, atRest: readonly TimedIntervention[]): Promise<RestedRun> {
    const { state, counts, violations } = await new SimulationRun(this.world, plan, { atRest }).execute();
    return { state, counts, violations };
  }

  private async create(same: Pick<SimulationPlan, 'without' | 'states'>): Promise<Reference> {
    const seed = this.world.options.seed ?? 1;
    const clean = await this.execute({ ...same, seed, faults: [] });
    // With another seed, identities, times, and delays are others: whatever differs between the two runs may differ.
    const other = await this.execute({ ...same, seed: seed + 1, faults: [], delays: true });
    const mask = differingPlaces(clean.state, other.state);
    const violations = [...clean.violations, ...other.violations];
    const merged = clean.hasConcurrentEdits
      ? [await new SimulationRun(this.world, clean.plan, { isMerged: true }).execute()]
      : [];
    const states = [clean, ...merged.filter((run) => run.violations.length === 0)].map(({ state }) => state);
    return { clean, states, counts: [clean.counts, other.counts], mask, runs: [clean, other], violations, atRest: [] };
  }
}
