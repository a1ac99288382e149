import type { OperatorIdentity } from 'nestjs-kopf/diagnostics';
import { ActivityTracker, type TestServer } from 'nestjs-kopf/testing';
import type { KubeObject } from 'nestjs-kopf';
import type { OperatorEventCall } from 'nestjs-kopf/inspection';
import { SeededRandom } from 'kube-common';
import { Exemptions } from '../oracles/exemptions.js';
import { finalStateOf } from '../oracles/final.state.js';
import { ObjectCounts } from '../oracles/object.counts.js';
import { RunOracles } from '../oracles/run.oracles.js';
import type { SimulationOptions } from '../simulation.options.js';
import type { RejectedPatchFault, SimulationFault, SimulationPlan } from '../simulation.plan.js';
import { FaultEngine } from '../faults/fault.engine.js';
import { PatchParts } from '../faults/patch.parts.js';
import { ProcessorBudget } from './processor.budget.js';
import { Replicas } from './replicas.js';
import { RestDelay, takeoverOf } from './rest.delay.js';
import { REQUEST_HEADER, type TransportTargets } from '../world/simulated.transport.js';
import { NeighbourOperator } from '../world/neighbour.operator.js';
import { type OperatorRun, SimulatedOperator } from '../world/simulated.operator.js';
import { doWork } from '../user/changing.user.js';
import { ConcurrentEdits } from '../faults/concurrent.edits.js';
import { Interventions } from './interventions.js';
import { isLate } from '../world/late.objects.js';
import { type UserRun, WorldUser } from '../user/simulated.user.js';
import { testServerOf, WorldWebhooks } from '../world/world.webhooks.js';
import { CallCoverage } from './call.coverage.js';
import { Timeline } from './timeline.js';
import { WorldEffects } from '../world/world.effects.js';
import { WorldObjects } from '../world/world.objects.js';
import { traceChange, type RunConditions, type RunRecord, type TracedChange } from './run.record.js';
import { isDeletion, nameOfResource, pathOfObject, type WorldChange, type WorldServer } from '../world/world.server.js';
import { BudgetExceededError, type UnrestObserver, WorldTime } from '../world/world.time.js';
import type { PreparedWorld } from '../world/prepared.world.js';

const OPERATOR = /^operator-/;

/** Ends a run that will not come to rest, as the rest of the workload would only repeat that. */
class EndOfRun extends Error {}

/** One run of the workload: a cluster, the operator, and the faults between them, on virtual time. */
export class SimulationRun implements UserRun, OperatorRun {
  readonly time: WorldTime;
  readonly timeline: Timeline;
  readonly effects = new WorldEffects();
  readonly objects = new WorldObjects(this.effects);
  readonly patchParts = new PatchParts(this.objects);
  readonly server: WorldServer;
  readonly faults: FaultEngine;
  readonly interventions: Interventions;
  readonly testServer: TestServer;
  readonly oracles: RunOracles;
  readonly edits: ConcurrentEdits;
  readonly restDelay: RestDelay;
  readonly budget: ProcessorBudget;
  readonly module: PreparedWorld['module'];
  readonly options: SimulationOptions;
  /** The operators of all processes of the run. */
  readonly operators = new WeakSet<OperatorIdentity>();
  lastChange = 0;
  private readonly webhooks = new WorldWebhooks(() => this.faults.beforeReview());
  private readonly activity = new ActivityTracker();
  private readonly counts = new ObjectCounts();
  private readonly coverage = new CallCoverage();
  private readonly changes: TracedChange[] = [];
  private readonly effective = new Set<string>();
  private readonly replicas: Replicas;
  private readonly neighbours: readonly NeighbourOperator[];
  private isOver = false;
  private isRejectedChange = false;
  /** Whether the API server has rejected a write of the operator, other than by a fault. */
  private hasRejectedWrite = false;
  private processes = 0;
  private requests = 0;
  private user?: WorldUser;

  constructor(
    private readonly world: PreparedWorld,
    readonly plan: SimulationPlan,
    private readonly conditions: RunConditions = {},
  ) {
    this.module = world.module;
    this.options = world.options;
    this.time = new WorldTime(world, plan.seed, this.activity, this);
    this.restDelay = new RestDelay(this.time.clock);
    this.budget = new ProcessorBudget(this.options.budget, (seconds) => this.options.onSlowPlan?.(plan, seconds));
    this.timeline = new Timeline(this.time.clock);
    const faults = (): readonly SimulationFault[] => this.excusing;
    this.oracles = new RunOracles(this.options, this.objects, this.time.clock, this.changes, faults);
    this.edits = new ConcurrentEdits(conditions.isMerged ? () => this.faults.hide(this.replicas.watched) : undefined);
    const numbers = Array.from({ length: this.options.replicas ?? 1 }, (_, index) => index + 1);
    this.replicas = new Replicas(numbers.map((replica) => new SimulatedOperator(this, replica)));
    const { beside = [] } = this.options;
    this.neighbours = beside.map((module, index) => new NeighbourOperator(this, module, index + 1));
  }

  /** Executes the plan, from the start of the cluster to its end. */
  async execute(): Promise<RunRecord> {
    const { time, oracles } = this;
    await this.begin();
    const user = (this.user = new WorldUser(this));
    try {
      this.replicas.start();
      for (const neighbour of this.neighbours) neighbour.start();
      this.faults.begin();
      await this.settle();
      this.isRejectedChange = await doWork(user, this);
      await this.settle();
      this.faults.heal();
      await this.settle();
      if (this.world.outside || this.plan.found !== undefined) oracles.onMissed(this.faults.missed);
      oracles.properties.onEnd();
      this.end();
      await this.replicas.checkRest();
    } catch (error) {
      if (error instanceof BudgetExceededError) oracles.add({ check: 'budget', message: error.message });
      else if (!(error instanceof EndOfRun)) this.fail(error instanceof Error ? error.message : String(error));
    }
    oracles.checkObjects(this.objects.all, this.exemptions);
    const record = this.conclude(user);
    await this.stop();
    await time.clock.runUntil(this.server.stop());
    oracles.checkProcess();
    oracles.add(...this.world.rejections.take());
    return { ...record, violations: oracles.violations };
  }

  /** Lets time pass until the operator is at rest, for a limited time: it may be unable to reach the user's desired state. */
  async settleFor(seconds: number): Promise<void> {
    await this.time.rest(seconds, this.observeUnrest());
    if (this.oracles.pace.isLooping) throw new EndOfRun();
  }

  /** Lets time pass until the operator is at rest. */
  async settle(): Promise<void> {
    const { faults, edits, interventions, oracles } = this;
    edits.end();
    for (let isOver = false; !isOver;) {
      const outcome = await this.time.rest(this.options.patience, this.observeUnrest());
      // An operator retries without end to store what is always rejected. It is at rest if it has nothing else to do.
      if (outcome === 'rest' || this.onlyWaitsForRejected()) isOver = !faults.onRest() && !interventions.onRest();
      // An operator from which changes are hidden may wait for them, or continue with objects that are gone. It must come to rest when it sees them.
      else if (!faults.endPartitions()) {
        oracles.onUnrest();
        throw new EndOfRun();
      }
    }
    edits.onRest((object) => faults.hides(object));
    this.counts.onRest();
  }

  /** Watches for what shows that the operator will not come to rest, unless the user sets how long to wait. */
  private observeUnrest(): UnrestObserver | undefined {
    if (this.options.patience !== undefined) return undefined;
    this.oracles.writes.begin(this.time.clock.monotonic());
    return this.oracles;
  }

  /** Whether the operator is busy only with objects whose patches are rejected until the end of the run. */
  private onlyWaitsForRejected(): boolean {
    const { endless } = this.faults;
    if (endless.length === 0 || this.oracles.pace.isLooping || this.interventions.isBusy) return false;
    const rejected = new Set(
      endless.flatMap((fault) => this.objects.selectedBy(fault)).map(({ metadata }) => metadata.uid),
    );
    return this.replicas.isBusyOnlyWith((uid) => rejected.has(uid));
  }

  isBusy(): boolean {
    if (this.oracles.pace.isLooping) return false;
    return this.replicas.isBusy || this.interventions.isBusy || this.neighbours.some(({ isBusy }) => isBusy);
  }

  quiet(): number {
    return this.options.quiet ?? this.restDelay.secondsWith(this.replicas.interval);
  }

  get recoveredAt(): number {
    const { options, restDelay, replicas } = this;
    return options.quiet === undefined ? Math.max(restDelay.recoveredAt, replicas.firstCallsEnd) : -Infinity;
  }

  get rejectedSince(): number | undefined {
    return this.faults.endlessSince;
  }

  get outages(): number {
    return this.faults.outages;
  }

  /**
   * The rejections of patches after which a part is never stored: those that last until the end of the run, and all of them if a handler has given
   * up.
   */
  private get unstorable(): readonly RejectedPatchFault[] {
    return this.oracles.handling.hasGivenUp ? this.faults.rejected : this.faults.endless;
  }

  /** The faults so far that can excuse properties of the user. */
  private get excusing(): readonly SimulationFault[] {
    const { unstorable } = this;
    return [...this.faults.fired].filter((fault) => fault.kind !== 'rejected-patch' || unstorable.includes(fault));
  }

  /** Whether the operator or the API server refuses the last state of the object that is changed. */
  private get isRefused(): boolean {
    if (!this.plan.states) return false;
    return this.isRejectedChange || this.hasRejectedWrite || this.oracles.handling.hasFailedForGood;
  }

  /** Begins another state of the object that is changed. What was refused before does not count. */
  beginState(): void {
    this.hasRejectedWrite = false;
    this.oracles.handling.beginState();
  }

  /** The exemptions of objects whose patches are rejected until the end of the run. */
  get exemptions(): Exemptions {
    return new Exemptions(this.faults.endless, this.server.client);
  }

  /** Whether patches of an object were rejected so far, so that its handlers may be called again. */
  isRejected({ kind, apiVersion, metadata: { namespace, name = '' } }: KubeObject): boolean {
    if (!this.faults.hasRejections) return false;
    const served = this.server.client.resourceOf(apiVersion ?? '', kind ?? '');
    return served !== undefined && this.faults.concerns({ resource: nameOfResource(served), namespace, name });
  }

  /** Records that a running process has paused. With a peering, it can pause for another one of a higher priority. */
  onPause(process: number, name: string): void {
    this.onExpiry(process);
    if (!this.faults.hasOnlyShortBursts || !this.restDelay.isUnderLease) return;
    this.oracles.add({ check: 'leadership', message: `${name} has lost its leadership by a short burst of 401` });
  }

  /** Counts a process that starts. It is not at rest before it has had the time to take over the objects of others. */
  nextProcess(): number {
    this.lastChange = this.time.clock.monotonic();
    return (this.processes += 1);
  }

  transportTargets(): Omit<TransportTargets, 'userAgent' | 'process' | 'strike'> {
    const { activity, faults, effective, objects, plan, oracles } = this;
    const delays = plan.delays ? new SeededRandom(plan.seed + this.processes * 104_729) : undefined;
    const nextNumber = (): string => String((this.requests += 1));
    const onFailure = (): void => this.onFailure();
    const onRejectedWrite = (): void => void (this.hasRejectedWrite = true);
    const onReopened = (): void => void (this.lastChange = this.time.clock.monotonic());
    const reports = { onFailure, onRejectedWrite, onReopened };
    return { activity, faults, pace: oracles.pace, effective, delays, nextNumber, objects, ...reports };
  }

  /** Records that a request has failed, as those of a frozen process do. The operator is not at rest before it has repeated them. */
  onFailure(): void {
    this.lastChange = this.time.clock.monotonic();
    this.restDelay.onFailure();
  }

  /** Records a call of a handler. */
  onCall(call: OperatorEventCall): void {
    if (!this.isOver) this.coverage.note(call, this.faults.fired);
  }

  /** Records an error of the run itself: of the workload, or of an operator that cannot start. */
  fail(message: string): void {
    this.timeline.note('fault', message, { type: 'violation' });
    this.oracles.add({ check: 'error', message });
  }

  private async begin(): Promise<void> {
    const { webhooks, time, timeline, world, plan } = this;
    const server = await world.start({
      clock: time.serverClock,
      random: new SeededRandom(plan.seed),
      webhookTransport: webhooks,
      garbageCollectionDelay: () => this.faults?.collectionDelay() ?? 0,
      onChange: (change) => this.onChange(change),
    });
    const own = this as { -readonly [Key in keyof SimulationRun]: SimulationRun[Key] };
    own.server = server;
    own.testServer = testServerOf(server, webhooks);
    this.objects.begin(server);
    own.interventions = new Interventions(
      {
        transport: server.transport(),
        objects: this.objects,
        activity: this.activity,
        clock: this.time.clock,
        wishOf: (path) => this.user?.wishes.of(path),
        operations: () => this.user?.begun ?? 0,
        pathOf: (object) => pathOfObject(server, object),
      },
      this.conditions.atRest,
    );
    own.faults = new FaultEngine(plan, {
      server,
      timeline,
      clock: time.clock,
      userAgent: OPERATOR,
      jumpClock: (milliseconds, replica) => this.jumpClock(milliseconds, replica),
      interventions: this.interventions,
      patchParts: this.patchParts,
    });
  }

  /** Records an event after which the leadership of a process can expire, if replicas elect a leader. */
  onExpiry(process: number): void {
    if (this.restDelay.isCoordinated) this.oracles.handling.onExpiry(process);
  }

  private jumpClock(milliseconds: number, replica?: number): void {
    this.replicas.jumpClock(milliseconds, replica);
    this.restDelay.onClockJump(milliseconds / 1000);
  }

  private onChange(change: WorldChange): void {
    const { resource, object, userAgent, request } = change;
    this.activity.record();
    // These are changes of the server's own setup.
    if (!this.faults || this.isOver) return;
    const writer = this.replicas.senderOf(userAgent);
    const isOperator = writer !== undefined;
    if (isOperator) this.restDelay.onWrite(resource);
    const number = request?.headers[REQUEST_HEADER];
    if (number !== undefined) this.effective.add(number);
    if (isOperator) this.oracles.handling.onWrite(writer.number, object);
    if (isOperator && takeoverOf(resource) > 0) this.oracles.handling.onRenewal(writer.number);
    this.objects.apply(change);
    this.counts.add(change, () => isLate(object, this), isOperator);
    if (isDeletion(change) && this.edits.has(object)) this.counts.onConcurrentDeletion(object);
    const traced = traceChange(change, isOperator, this.faults);
    this.changes.push(traced);
    this.timeline.digest.add(this.time.clock.monotonic(), change.type, resource, object, userAgent);
    if (!traced.isTransient) {
      this.lastChange = this.time.clock.monotonic();
      const hiddenFrom = this.faults.isHidden(resource) ? this.replicas.names : [];
      this.timeline.noteChange(writer?.actor ?? userAgent, change, { number: traced.number, hiddenFrom });
    }
    this.timeline.noteViolations(this.oracles.onChange(change, isOperator));
    this.interventions.onChange(change);
    this.faults.onChange();
  }

  /** Stops the operators as a signal does, and checks what they leave. Operators that do not come to rest are killed. */
  private async stop(): Promise<void> {
    this.end();
    await this.replicas.stop(this.oracles.isAtRest);
    for (const neighbour of this.neighbours) neighbour.kill();
  }

  /** Stops recording, as what happens from now on is no part of the plan. */
  private end(): void {
    this.isOver = true;
    this.timeline.end();
  }

  private conclude(user: WorldUser): RunRecord {
    const { plan, faults, changes, counts, oracles } = this;
    const { names: effects } = this.effects;
    counts.addEffects(effects);
    return {
      plan,
      violations: oracles.violations,
      changes,
      writes: faults.writes,
      requests: faults.requests,
      reads: faults.reads,
      reviews: faults.reviews,
      workload: user.operations,
      operations: user.begun,
      state: finalStateOf(this.objects.all),
      counts,
      effects,
      reached: oracles.properties.reached,
      fired: faults.fired,
      interventions: this.interventions.made,
      timeline: this.timeline,
      digest: this.timeline.digest.value,
      covered: this.coverage.keys,
      hasBackground: this.replicas.interval > 0,
      isRejected: this.isRejectedChange,
      isRefused: this.isRefused,
      excused: oracles.properties.excused,
      unstorable: this.unstorable,
      isHeld: faults.endless.length > 0 && oracles.handling.isUnlimited,
      missed: faults.missed,
      handlers: oracles.handling.ids,
      hasConcurrentEdits: this.edits.isFound,
      watched: this.replicas.watched,
    };
  }
}
