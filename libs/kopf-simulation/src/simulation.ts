import { createHash } from 'node:crypto';
import { stringifyJson, SystemClock } from 'kube-common';
import { NondeterminismDetector } from './oracles/nondeterminism.detector.js';
import { describeDifference } from './oracles/determinism.oracle.js';
import { nameOf } from './oracles/property.oracle.js';
import { RealTimerOracle } from './oracles/real-timer.oracle.js';
import { causeOf, evaluate, mostTelling, refusedProperties } from './oracles/run.evaluation.js';
import type { Violation } from './oracles/violation.js';
import { changePlans } from './plans/plan.changes.js';
import { exhaustivePlans } from './plans/plan.exhaustive.js';
import { requireWorkload } from './plans/plan.files.js';
import { randomPlans } from './plans/plan.random.js';
import { shrinkPlan, type RunLength } from './plans/plan.shrinking.js';
import { CoverageTally } from './run/coverage.tally.js';
import type { PreparedWorld } from './world/prepared.world.js';
import { type Reference, ReferenceRuns, type RestedRun } from './run/reference.runs.js';
import type { RunRecord } from './run/run.record.js';
import { SimulationRun } from './run/simulation.run.js';
import type { SimulationPlan } from './simulation.plan.js';
import { SimulationReport } from './simulation.report.js';
import type { SimulationFinding } from './simulation.result.js';

/** The most plans, unless the options set another limit. */
const PLANS_LIMIT = 1000;
/** The most findings, as further ones mostly are of the same bugs. */
const FINDINGS_LIMIT = 5;

const IDLE =
  'no handler was called in any run: does the module import KopfModule and provide the classes with handlers, ' +
  'and does the workload create what they select?';

/** A finding before it is reduced. */
interface FindingCandidate {
  readonly violation: Violation;
  readonly plan: SimulationPlan;
  plans: number;
}

/** Runs the workload with one plan after another, and compares the runs. */
export class Simulation {
  private readonly references: ReferenceRuns;
  private readonly candidates = new Map<string, FindingCandidate>();
  private readonly tally: CoverageTally;
  /** The hash of all runs, in their order. */
  private readonly digest = createHash('sha256');
  private plans = 0;
  /** The plans that have led handlers into new situations. */
  private readonly kept: SimulationPlan[] = [];

  constructor(private readonly world: PreparedWorld) {
    this.references = new ReferenceRuns(world, (plan) => this.execute(plan));
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
    const reference = await this.references.of({});
    this.tally.note(reference.clean);
    for (const { violations, plan } of reference.runs) this.collect(violations, plan);
    const isSlow = reference.violations.some(({ check }) => check === 'budget');
    const findings = isSlow ? [] : await this.findNondeterminism(reference);
    if (this.candidates.size === 0 && findings.length === 0) findings.push(...(await this.findRealTimers(reference)));
    if (this.candidates.size === 0 && findings.length === 0) await this.runPlans(reference);
    for (const candidate of this.candidates.values()) {
      findings.push(...(await this.confirm(candidate, reference)));
    }
    findings.push(...this.findUnreached(reference));
    if (findings.length === 0) findings.push(...this.findIdleness(reference));
    const coverage = this.tally.summarize(reference.clean, this.world.options.replicas);
    const milliseconds = Math.round(clock.monotonic() - begun);
    const { plans, digest, world } = this;
    const { file } = world.options;
    return new SimulationReport({ findings, plans, seed, coverage, digest: digest.digest('hex'), milliseconds, file });
  }

  private get seed(): number {
    const { plans, seed = 1 } = this.world.options;
    return (typeof plans === 'object' && 'random' in plans ? plans.seed : undefined) ?? seed;
  }

  private async runPlans(reference: Reference): Promise<void> {
    const { limit = PLANS_LIMIT, stopAfter = FINDINGS_LIMIT } = this.world.options;
    for (const plan of this.listPlans(reference.clean)) {
      if (this.plans >= limit || this.candidates.size >= stopAfter) break;
      requireWorkload(plan, reference.clean.workload);
      this.plans += 1;
      const record = await this.execute(plan);
      if (this.tally.note(record)) this.kept.push(plan);
      this.tally.excuse(refusedProperties(record, await this.references.of(plan)));
      this.collect(await this.evaluate(record), plan);
      this.world.options.onPlan?.(this.plans);
    }
  }

  /** Finds the violations of a run. */
  private async evaluate(record: RunRecord): Promise<readonly Violation[]> {
    const { references, world } = this;
    const reference = await references.of(record.plan);
    let found = evaluate(record, reference, world.options);
    // Most runs end as if there had been no interventions. Only the others are compared with further runs, until one of these agrees.
    if (found.length === 0 || record.interventions.length === 0) return found;
    const atRest: RestedRun[] = [];
    for await (const run of references.atRest(record)) {
      atRest.push(run);
      // The first two differ by their seeds only.
      if (atRest.length < 2) continue;
      found = evaluate(record, { ...reference, atRest }, world.options);
      if (found.length === 0) break;
    }
    return found;
  }

  private *listPlans(clean: RunRecord): Generator<SimulationPlan> {
    const { options, schema } = this.world;
    if (options.changes && schema) yield* changePlans(options.changes, schema, this.seed);
    yield* this.listFaultPlans(clean);
  }

  private listFaultPlans(clean: RunRecord): Iterable<SimulationPlan> {
    const { plans = 'exhaustive', replicas } = this.world.options;
    if (plans === 'exhaustive') return exhaustivePlans(clean, this.seed, replicas);
    if ('random' in plans) return randomPlans(clean, plans.random, this.seed, { replicas, kept: this.kept });
    return plans;
  }

  private async execute(plan: SimulationPlan): Promise<RunRecord> {
    const record = await new SimulationRun(this.world, plan).execute();
    this.digest.update(`${stringifyJson([plan, record.digest])}\n`);
    return record;
  }

  /** Records the violations of a run. They mostly have one reason, so the most telling one stands for the others. */
  private collect(violations: readonly Violation[], plan: SimulationPlan): void {
    const violation = mostTelling(violations);
    if (!violation) return;
    const key = causeOf(violation);
    const known = this.candidates.get(key);
    if (known) known.plans += 1;
    else this.candidates.set(key, { violation, plan, plans: 1 });
  }

  /** Reduces a finding as far as possible, and runs it again. */
  private async confirm(
    { violation, plan, plans }: FindingCandidate,
    reference: Reference,
  ): Promise<SimulationFinding[]> {
    const trial = async (smaller: SimulationPlan): Promise<boolean> => {
      const compared = await this.references.of(smaller);
      const isClean = compared.violations.length === 0;
      if (!isClean && smaller.faults.length > 0) return false;
      const found = await this.evaluate(await this.execute(smaller));
      return found.some(({ check }) => check === violation.check);
    };
    // A reduced plan need not have all faults any more; and a plan that is out of date is reported as it is.
    const { found: _, ...bare } = plan;
    const isOutdated = violation.check === 'outdated';
    // Each further run would take as long.
    const isSlow = violation.check === 'budget';
    const budget = isOutdated || isSlow ? 0 : this.world.options.shrinking;
    // The run of the finding may have ended before its workload.
    const { workload } = reference.clean;
    const { length: operations } = workload;
    const measure = async (without: readonly number[]): Promise<RunLength> =>
      lengthOf((await this.references.of({ ...plan, without })).clean);
    const smallest = await shrinkPlan(isOutdated ? plan : bare, trial, { operations, measure, budget });
    const record = await this.execute(smallest);
    const compared = await this.evaluate(record);
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
    const difference = isSlow ? undefined : await this.replay(record);
    return difference ? [finding, { ...finding, ...difference, plans: 1 }] : [finding];
  }

  /**
   * Runs a plan again, which must lead to an identical run: otherwise the operator depends on something that the simulation does not control. Another
   * run then finds out which nondeterministic functions its code calls.
   */
  private async replay({ plan, timeline }: RunRecord): Promise<Violation | undefined> {
    if (this.world.options.oracles?.deterministic === false) return undefined;
    const { timeline: other } = await this.execute(plan);
    const index = timeline.digest.differenceTo(other.digest);
    if (index === undefined) return undefined;
    const calls = new NondeterminismDetector();
    calls.begin();
    await this.execute(plan).finally(() => calls.end());
    return describeDifference(index, [timeline.entries[index], other.entries[index]], calls.found);
  }

  /** Compares two runs without faults: if they differ, findings of other plans mean nothing. */
  private async findNondeterminism({ clean }: Reference): Promise<SimulationFinding[]> {
    const difference = await this.replay(clean);
    return difference ? [findingOf(difference, clean)] : [];
  }

  /** Finds timers of Node.js that are left. Timers that are set without faults are left in nearly all runs, so one run is enough. */
  private async findRealTimers({ clean }: Reference): Promise<SimulationFinding[]> {
    if (this.world.options.oracles?.leaks === false) return [];
    const run = new SimulationRun(this.world, clean.plan);
    const violations = await new RealTimerOracle().follow(
      () => run.execute(),
      (operator) => run.operators.has(operator),
    );
    return violations.map((violation) => findingOf(violation, clean));
  }

  private findUnreached({ clean }: Reference): SimulationFinding[] {
    return this.tally.unreached.map((name) =>
      findingOf({ check: 'sometimes', message: `${name} was never reached` }, clean),
    );
  }

  /** Reports a simulation in which no handler is called, as it would pass whatever is wrong. */
  private findIdleness({ clean }: Reference): SimulationFinding[] {
    if (!this.tally.isIdle || this.world.options.oracles?.idle === false) return [];
    return [findingOf({ check: 'idle', message: IDLE }, clean)];
  }
}

/** Creates a finding of a violation that needs no faults. */
function findingOf(violation: Violation, { plan, workload, timeline }: RunRecord): SimulationFinding {
  const operations = workload.length;
  return { ...violation, others: [], plan, foundBy: plan, plans: 0, workload, operations, timeline: timeline.events() };
}

function lengthOf({ writes, requests, reads, changes, reviews }: RunRecord): RunLength {
  return { writes, attempts: requests.length, reads: reads.length, changes: changes.length, reviews };
}
