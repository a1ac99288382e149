import { stringifyJson } from '../../objects/exact-json.js';
import { differingPlaces, type FinalState } from '../oracles/final.state.js';
import type { ObjectCounts } from '../oracles/object.counts.js';
import type { Violation } from '../oracles/violation.js';
import type { SimulationPlan } from '../simulation.plan.js';
import type { PreparedWorld } from './prepared.world.js';
import type { TimedIntervention } from './interventions.js';
import type { RunRecord } from './run.record.js';
import { SimulationRun } from './simulation.run.js';

/** The most runs with interventions that are kept. Others are made again: of very many plans, most of these runs serve few. */
const MOST_RESTED = 500;

/** As much of a run with interventions as others are compared with: many are kept, and their timelines would take most of the memory. */
export type RestedRun = Pick<RunRecord, 'state' | 'counts' | 'violations'>;

/** Runs without faults, which others are compared with. */
export interface Reference {
  readonly clean: RunRecord;
  /** The right ends: that of the run without faults; and, if the user is in a edits, that of one which sees none of the states in between. */
  readonly states: readonly FinalState[];
  readonly counts: readonly ObjectCounts[];
  /** The places that differ between two runs without faults. */
  readonly mask: ReadonlySet<string>;
  readonly runs: readonly RunRecord[];
  readonly violations: readonly Violation[];
  /**
   * Runs in which the same interventions are made while the operator is at rest: after the operations of the user, the same with another seed,
   * before them, and after all of the workload; and those of single ones of several. None if there are no interventions.
   */
  readonly atRest: readonly RestedRun[];
}

/** Has the operations of plans run without faults, once for all plans with the same operations. */
export class ReferenceRuns {
  private readonly references = new Map<string, Promise<Reference>>();

  private readonly rested = new Map<string, Promise<RestedRun>>();

  constructor(
    private readonly world: PreparedWorld,
    private readonly execute: (plan: SimulationPlan) => Promise<RunRecord>,
  ) {}

  /** The runs without faults that have the operations of a plan. */
  of({ without = [], states }: Partial<SimulationPlan>): Promise<Reference> {
    // Whatever the user has changed, it must end as if the object had been created like that.
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
   * The runs in which the same is done to objects as in a run, while the operator is at rest; each is made when it is asked for. An intervention
   * that comes while the operator handles something may come before that, or after it: both are right. It may even come after all of the workload,
   * whose further steps an operator need not see one by one.
   */
  async *atRest({ plan: { without }, interventions }: RunRecord): AsyncGenerator<RestedRun> {
    const seed = this.world.options.seed ?? 1;
    const plan: SimulationPlan = { seed, faults: [], without };
    yield this.rest(plan, interventions);
    // Another seed shows what may differ.
    yield this.rest({ ...plan, seed: seed + 1, delays: true }, interventions);
    const before = interventions.map((made) => ({ ...made, operation: made.rested }));
    yield this.rest(plan, before);
    const { clean } = await this.of({ without });
    const operation = clean.operations;
    const late = interventions.map((made) => ({ ...made, operation }));
    yield this.rest(plan, late);
    // One of several may not be possible at rest after another one, as nothing brings the object back by then.
    for (const made of interventions.length > 1 ? interventions : []) yield this.rest(plan, [made]);
  }

  /** Makes interventions while the operator is at rest, once for all runs that are compared with it. */
  private rest(plan: SimulationPlan, atRest: readonly TimedIntervention[]): Promise<RestedRun> {
    // It does not matter then after which change it was.
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
    // Another seed has other identities, times, and delays: what differs then, may differ.
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
