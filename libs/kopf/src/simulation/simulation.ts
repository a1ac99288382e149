import { SystemClock } from '../common/clock.js';
import { compareFinalStates, differingPlaces, type FinalState, type ObjectCounts } from './oracles/final.state.js';
import { compareWithCreation } from './oracles/changes.oracle.js';
import { CulpritOracle } from './oracles/culprit.oracle.js';
import { describeDifference } from './oracles/determinism.oracle.js';
import { nameOf } from './oracles/property.oracle.js';
import type { Violation } from './oracles/violation.js';
import { stringifyJson } from '../objects/exact-json.js';
import { changePlans } from './plans/plan.changes.js';
import { exhaustivePlans } from './plans/plan.exhaustive.js';
import { requireWorkload } from './plans/plan.files.js';
import { randomPlans } from './plans/plan.random.js';
import { shrinkPlan, type RunLength } from './plans/plan.shrinking.js';
import { CoverageTally } from './run/coverage.tally.js';
import type { PreparedWorld } from './run/prepared.world.js';
import { RunDigest } from './run/run.digest.js';
import type { RunRecord } from './run/run.record.js';
import { SimulationRun } from './run/simulation.run.js';
import type { SimulationPlan } from './simulation.plan.js';
import { SimulationReport, type SimulationFinding } from './simulation.report.js';

/** Limits the number of plans, unless the options say otherwise. */
const PLANS_LIMIT = 1000;
/** Limits the findings: further ones mostly are of the same bugs. */
const FINDINGS_LIMIT = 5;

/** Runs without faults, which others are compared with. */
interface Reference {
  readonly clean: RunRecord;
  /** The right ends: that of the run without faults; and, if the user is in a hurry, that of one which sees none of the states in between. */
  readonly states: readonly FinalState[];
  readonly counts: readonly ObjectCounts[];
  /** The places that differ between two runs without faults. */
  readonly mask: ReadonlySet<string>;
  readonly runs: readonly RunRecord[];
  readonly violations: readonly Violation[];
}

/** A finding before it is made smaller. */
interface Suspicion {
  readonly violation: Violation;
  readonly plan: SimulationPlan;
  plans: number;
}

/** Runs the workload again and again, with one plan after another, and compares. */
export class Simulation {
  private readonly references = new Map<string, Promise<Reference>>();
  private readonly suspicions = new Map<string, Suspicion>();
  private readonly tally: CoverageTally;
  private readonly digest = new RunDigest();
  private plans = 0;

  constructor(private readonly world: PreparedWorld) {
    this.tally = new CoverageTally((world.options.sometimes ?? []).map(nameOf));
  }

  async run(): Promise<SimulationReport> {
    const { rejections } = this.world;
    rejections.begin();
    try {
      return await this.runAll();
    } finally {
      rejections.end();
    }
  }

  private async runAll(): Promise<SimulationReport> {
    const clock = new SystemClock();
    const begun = clock.monotonic();
    const { seed } = this;
    const reference = await this.referenceOf({ seed, faults: [] });
    this.tally.note(reference.clean);
    for (const { violations, plan } of reference.runs) this.suspect(violations, plan);
    const findings = await this.findNondeterminism(reference);
    if (this.suspicions.size === 0 && findings.length === 0) await this.runPlans(reference);
    for (const suspicion of this.suspicions.values()) {
      findings.push(...(await this.confirm(suspicion, reference)));
    }
    findings.push(...this.findUnreached(reference));
    const coverage = this.tally.summarize(reference.clean);
    const milliseconds = Math.round(clock.monotonic() - begun);
    const { plans, digest, world } = this;
    const { file } = world.options;
    return new SimulationReport({ findings, plans, seed, coverage, digest: digest.value, milliseconds, file });
  }

  private get seed(): number {
    return this.world.options.seed ?? 1;
  }

  private async runPlans(reference: Reference): Promise<void> {
    const { limit = PLANS_LIMIT, stopAfter = FINDINGS_LIMIT } = this.world.options;
    for (const plan of this.listPlans(reference.clean)) {
      if (this.plans >= limit || this.suspicions.size >= stopAfter) break;
      requireWorkload(plan, reference.clean.workload);
      this.plans += 1;
      const record = await this.execute(plan);
      this.tally.note(record);
      this.suspect(judge(record, await this.referenceOf(plan), this.world.options), plan);
    }
  }

  private *listPlans(clean: RunRecord): Generator<SimulationPlan> {
    const { options, schema } = this.world;
    if (options.changes && schema) yield* changePlans(options.changes, schema, this.seed);
    yield* this.listFaultPlans(clean);
  }

  private listFaultPlans(clean: RunRecord): Iterable<SimulationPlan> {
    const { plans = 'exhaustive' } = this.world.options;
    if (plans === 'exhaustive') return exhaustivePlans(clean, this.seed, this.world.options.replicas);
    if ('random' in plans)
      return randomPlans(clean, plans.random, plans.seed ?? this.seed, this.world.options.replicas);
    return plans;
  }

  private async execute(plan: SimulationPlan): Promise<RunRecord> {
    const record = await new SimulationRun(this.world, plan).execute();
    this.digest.add(plan, record.digest);
    return record;
  }

  /** The runs without faults that have the operations of a plan. */
  private referenceOf({ without = [], states }: SimulationPlan): Promise<Reference> {
    // Whatever the user has changed, it must end as if the object had been created like that.
    const same = { ...(without.length > 0 && { without }), ...(states && { states: states.slice(-1) }) };
    const key = stringifyJson(same);
    let reference = this.references.get(key);
    if (!reference) {
      reference = this.createReference(same);
      this.references.set(key, reference);
    }
    return reference;
  }

  private async createReference(same: Pick<SimulationPlan, 'without' | 'states'>): Promise<Reference> {
    const { seed } = this;
    const clean = await this.execute({ ...same, seed, faults: [] });
    // Another seed has other identities, times, and delays: what differs then, may differ.
    const other = await this.execute({ ...same, seed: seed + 1, faults: [], delays: true });
    const mask = differingPlaces(clean.state, other.state);
    const violations = [...clean.violations, ...other.violations];
    const merged = clean.isHurried ? [await new SimulationRun(this.world, clean.plan, true).execute()] : [];
    const states = [clean, ...merged.filter((run) => run.violations.length === 0)].map(({ state }) => state);
    return { clean, states, counts: [clean.counts, other.counts], mask, runs: [clean, other], violations };
  }

  /** Notes what is wrong in a run: all of it mostly has one reason, so that the gravest stands for the others. */
  private suspect(violations: readonly Violation[], plan: SimulationPlan): void {
    const violation = gravest(violations);
    if (!violation) return;
    const key = `${violation.check} ${violation.message}`;
    const known = this.suspicions.get(key);
    if (known) known.plans += 1;
    else this.suspicions.set(key, { violation, plan, plans: 1 });
  }

  /** Makes a finding as small as it gets, and runs it once more. */
  private async confirm({ violation, plan, plans }: Suspicion, reference: Reference): Promise<SimulationFinding[]> {
    const trial = async (smaller: SimulationPlan): Promise<boolean> => {
      const compared = await this.referenceOf(smaller);
      const isClean = compared.violations.length === 0;
      if (!isClean && (smaller.faults.length > 0 || smaller.states)) return false;
      const found = judge(await this.execute(smaller), compared, this.world.options);
      return found.some(({ check }) => check === violation.check);
    };
    const { shrinking: budget } = this.world.options;
    // The run of the finding may have ended before its workload.
    const { workload } = reference.clean;
    const { length: operations } = workload;
    const measure = async (without: readonly number[]): Promise<RunLength> =>
      lengthOf((await this.referenceOf({ ...plan, without })).clean);
    const smallest = await shrinkPlan(plan, trial, { operations, measure, budget });
    const record = await this.execute(smallest);
    const compared = judge(record, await this.referenceOf(smallest), this.world.options);
    const shown = compared.find(({ check }) => check === violation.check) ?? violation;
    const others = compared.filter((other) => other !== shown);
    const timeline = record.timeline.events();
    const finding: SimulationFinding = {
      ...shown,
      others,
      plan: smallest,
      foundBy: plan,
      plans,
      workload,
      operations: workload.length - (smallest.without?.length ?? 0),
      timeline,
    };
    const difference = await this.replay(record);
    return difference ? [finding, { ...finding, ...difference, plans: 1 }] : [finding];
  }

  /**
   * Runs a plan again, which must be the same to the bit: otherwise the operator has something that the simulation does not decide on. In
   * another run, it is found out which of the usual culprits its code calls.
   */
  private async replay({ plan, timeline }: RunRecord): Promise<Violation | undefined> {
    if (this.world.options.oracles?.deterministic === false) return undefined;
    const { timeline: other } = await this.execute(plan);
    const index = timeline.digest.differenceTo(other.digest);
    if (index === undefined) return undefined;
    const culprits = new CulpritOracle();
    culprits.begin();
    await this.execute(plan).finally(() => culprits.end());
    return describeDifference(index, [timeline.entries[index], other.entries[index]], culprits.found);
  }

  /** Nothing that is found tells anything if the run without faults is another one each time. */
  private async findNondeterminism({ clean }: Reference): Promise<SimulationFinding[]> {
    const difference = await this.replay(clean);
    return difference ? [findingOf(difference, clean)] : [];
  }

  private findUnreached({ clean }: Reference): SimulationFinding[] {
    return this.tally.unreached.map((name) =>
      findingOf({ check: 'sometimes', message: `${name} was never reached` }, clean),
    );
  }
}

/** Makes a finding of a violation that needs no faults. */
function findingOf(violation: Violation, { plan, workload, timeline }: RunRecord): SimulationFinding {
  const operations = workload.length;
  return { ...violation, others: [], plan, foundBy: plan, plans: 0, workload, operations, timeline: timeline.events() };
}

function lengthOf({ writes, requests, changes, reviews }: RunRecord): RunLength {
  return { writes, attempts: requests.length, changes: changes.length, reviews };
}

/** The checks, those first whose violations say most about the reason. */
const GRAVITY: readonly Violation['check'][] = [
  'error',
  'always',
  'hot-loop',
  'overlap',
  'convergence',
  'stuck-deletion',
  'rejections',
  'surplus',
  'eventually',
  'repetition',
  'final-state',
  'changes',
  'progress',
  'last-handled',
  'finalizers',
  'background',
  'indices',
  'leaks',
];

function gravest(violations: readonly Violation[]): Violation | undefined {
  return violations.toSorted((one, other) => GRAVITY.indexOf(one.check) - GRAVITY.indexOf(other.check))[0];
}

/** Finds what is wrong in a run, by itself and beside the runs without faults. */
function judge(record: RunRecord, reference: Reference, options: PreparedWorld['options']): readonly Violation[] {
  const { oracles = {}, ignore = [] } = options;
  const isMasked = (place: string): boolean =>
    reference.mask.has(place) ||
    ignore.some((pattern) => (typeof pattern === 'string' ? place.startsWith(pattern) : pattern.test(place)));
  const violations = [...record.violations];
  // An object that the operator cannot bring about is no finding: the user wants too much.
  if (record.plan.states && reference.violations.length > 0) return [];
  // Without an end there is nothing to compare.
  if (violations.some(({ check }) => check === 'convergence' || check === 'error')) return violations;
  if (record.plan.states) {
    return oracles.changes === false
      ? violations
      : [...violations, ...compareWithCreation(record, reference.clean, isMasked)];
  }
  if (oracles['final-state'] !== false)
    violations.push(...compareFinalStates(reference.states, record.state, isMasked));
  if (oracles.surplus !== false) violations.push(...findSurplus(record, reference, isMasked));
  return violations;
}

function findSurplus(
  record: RunRecord,
  { counts }: Reference,
  isMasked: (place: string) => boolean,
): readonly Violation[] {
  const [first = [], ...others] = counts.map((each) => record.counts.exceeding(each, isMasked));
  return first.filter(({ message }) => {
    const what = message.slice(0, message.indexOf(' times'));
    return others.every((found) => found.some((other) => other.message.startsWith(what)));
  });
}
