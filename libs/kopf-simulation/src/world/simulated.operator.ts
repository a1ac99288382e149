import type { TestingModule } from '@nestjs/testing';
import { SeededRandom } from 'kube-common';
import { KOPF_RANDOM, KopfOperator } from 'nestjs-kopf';
import { HandlerRegistry, OperatorLifecycle, SilentLogger, Vault, WatcherSet } from 'nestjs-kopf/tooling';
import { OperatorIdentity } from 'nestjs-kopf/diagnostics';
import { ActivityTracker, compileApplication, CycleRecorder, type TestServer } from 'nestjs-kopf/testing';
import type { OperatorEventActor } from 'nestjs-kopf/inspection';
import type { FaultEngine, ProcessFault } from '../faults/fault.engine.js';
import type { PatchParts } from '../faults/patch.parts.js';
import type { Exemptions } from '../oracles/exemptions.js';
import { type CallObservers, HandlingRecorder } from '../oracles/handling.recorder.js';
import type { HeldResources } from '../oracles/leak.oracle.js';
import type { RunOracles } from '../oracles/run.oracles.js';
import { firstCallsEnd } from '../run/first.calls.js';
import type { SimulationOptions } from '../simulation.options.js';
import { DEFAULT_SECONDS, type SimulationPlan } from '../simulation.plan.js';
import type { PreparedWorld } from './prepared.world.js';
import { SimulatedTransport, type TransportTargets } from './simulated.transport.js';
import { simulatedVault } from './simulated.vault.js';
import type { WorldEffects } from './world.effects.js';
import { WorldProcess } from './world.process.js';
import type { WorldServer } from './world.server.js';
import type { WorldTime } from './world.time.js';

/** Seconds until the next process starts after one has ended. */
const DOWNTIME = 1;

/** Milliseconds for which a handler may still run after its operator has stopped. */
const HANDLER_GRACE = 60_000;

/** The parts of a run that its operators need, besides those that observe their calls. */
export interface OperatorRun extends CallObservers {
  readonly module: PreparedWorld['module'];
  readonly options: SimulationOptions;
  readonly plan: SimulationPlan;
  readonly server: WorldServer;
  readonly testServer: TestServer;
  readonly time: WorldTime;
  readonly effects: WorldEffects;
  readonly faults: FaultEngine;
  readonly patchParts: PatchParts;
  readonly oracles: RunOracles;
  /** The operators of all processes of the run. */
  readonly operators: WeakSet<OperatorIdentity>;
  /** The exemptions of objects whose patches are rejected until the end of the run. */
  readonly exemptions: Exemptions;
  /** The time since when a part of patches is rejected until the end of the run, in milliseconds; absent if none is. */
  readonly rejectedSince?: number;
  /** Counts a process that starts. @returns its number */
  nextProcess(): number;
  /** The parts of the run that the transport of a process needs. */
  transportTargets(): Omit<TransportTargets, 'userAgent' | 'process' | 'strike'>;
  /** Records that a running process has paused. */
  onPause(process: number, name: string): void;
  /** Records an event after which the leadership of a process can expire. */
  onExpiry(process: number): void;
  /** Records that a request has failed. */
  onFailure(): void;
  /** Records an error of the run itself. */
  fail(message: string): void;
}

/** One replica of the operator: its processes, one after another. */
export class SimulatedOperator {
  private process?: WorldProcess;
  private module?: TestingModule;
  private operator?: KopfOperator;
  private watchers?: WatcherSet;
  /** The longest interval of timers, in seconds; 0 if there are neither timers nor daemons. */
  interval = 0;
  /** Returns the time until which its daemons and timers are called for the first time, in milliseconds. */
  getFirstCallsEnd = (): number => -Infinity;
  private transport?: SimulatedTransport;
  private activity = new ActivityTracker();
  private cycles = new CycleRecorder();
  private isStarting = false;
  /** The number of its present process, over all replicas. */
  number = 0;
  /** The milliseconds by which its wall clock is ahead of the right time. */
  private wallOffset = 0;

  constructor(
    private readonly run: OperatorRun,
    readonly replica: number,
  ) {}

  /** The present process, as the actor of events. */
  get actor(): OperatorEventActor {
    const { replica, number: process } = this;
    const name = (this.run.options.replicas ?? 1) > 1 ? `operator-${replica}` : 'operator';
    return { kind: 'operator', name, replica, process };
  }

  /** Whether anything is under way, or about to be. */
  get isBusy(): boolean {
    const { transport, cycles, activity } = this;
    if (this.process?.thawed) return true;
    const isStarting = this.isStarting && !transport?.isHeld;
    if (isStarting || !cycles.isIdle || activity.isUnderWay || this.isReleasing) return true;
    return transport?.isBusy(() => this.isPaused) === true;
  }

  /** Whether the operator is busy with the selected objects only. */
  isBusyOnlyWith(isSelected: (uid: string) => boolean): boolean {
    return !this.process?.thawed && !this.isStarting && this.cycles.openFor.every(isSelected);
  }

  /** Whether objects that have left the selector are still to be released, which is retried after pauses. */
  private get isReleasing(): boolean {
    for (const { unreleased } of this.watchers?.all ?? []) if (unreleased > 0) return !this.isPaused;
    return false;
  }

  private get isPaused(): boolean {
    return this.operator?.state === 'paused';
  }

  /** The resources that the operator watches. */
  get watched(): readonly string[] {
    return this.transport?.watched ?? [];
  }

  /** Begins the start of a process. */
  start(): void {
    this.isStarting = true;
    void this.begin();
  }

  /** Kills the process as SIGKILL does, and starts another one later. */
  crash(downtime = DOWNTIME): void {
    this.isStarting = true;
    this.kill();
    this.run.time.clock.setTimer(() => this.start(), downtime * 1000);
  }

  /** Freezes the process for some time. */
  freeze(seconds: number): void {
    const { process, actor, number, run } = this;
    if (!process || process.thawed) return;
    const random = new SeededRandom(run.plan.seed * 4099 + number);
    const first = random.next() < 0.5 ? 'timers' : 'answers';
    process.freeze();
    run.oracles.handling.onFreeze(number);
    run.onExpiry(number);
    run.time.clock.setTimer(() => {
      if (process.isDead) return;
      run.timeline.note(actor, `process ${number} continues`, { type: 'recovery', fault: 'freeze' });
      run.onFailure();
      run.oracles.handling.onThaw(number);
      process.thaw(first);
    }, seconds * 1000);
  }

  /** Makes the wall clock jump. */
  jumpClock(milliseconds: number): void {
    this.wallOffset += milliseconds;
    this.process?.jumpClock(milliseconds);
    this.run.onExpiry(this.number);
  }

  /** Kills the process. */
  kill(): void {
    const { process } = this;
    if (!process || process.isDead) return;
    process.kill();
    this.run.oracles.handling.onCrash(this.number);
    this.activity = new ActivityTracker();
    this.cycles = new CycleRecorder();
    this.transport = undefined;
    this.module = undefined;
    this.operator = undefined;
    this.watchers = undefined;
    this.interval = 0;
    this.getFirstCallsEnd = () => -Infinity;
  }

  /** Checks the process at rest. */
  async checkRest(): Promise<void> {
    const { run, module, held } = this;
    if (module && held) await run.time.until(run.oracles.checkRest(module, held, run.server, run.exemptions));
  }

  /** Stops the process as a signal does, and checks what it leaves. */
  async stop(): Promise<void> {
    const { run, module } = this;
    if (!module) return;
    try {
      await run.time.clock.runUntil(module.close());
    } catch (error) {
      run.fail(`The operator cannot stop: ${error instanceof Error ? error.message : String(error)}`);
    }
    // A handler whose patches are rejected until the end of the run may run when the operator stops, which does not wait long for it.
    if (run.rejectedSince !== undefined) await run.time.clock.advance(HANDLER_GRACE);
    await run.time.settle();
    if (this.held) run.oracles.checkRemains(this.held);
  }

  /** The resources that the process holds open. */
  private get held(): HeldResources | undefined {
    const { process, transport } = this;
    return (
      process &&
      transport && { timers: process.timersLeft, requests: transport.openRequests, watches: transport.openWatches }
    );
  }

  private strike(fault: ProcessFault): void {
    if (fault.kind === 'crash') this.crash(fault.downtime);
    else this.freeze(fault.seconds ?? DEFAULT_SECONDS.freeze);
  }

  private async begin(): Promise<void> {
    const { run, replica } = this;
    const { clock } = run.time;
    const { options, plan } = run;
    const process = new WorldProcess(clock, this.wallOffset);
    this.process = process;
    const number = run.nextProcess();
    this.number = number;
    const { actor } = this;
    run.timeline.note(actor, `process ${number} starts`, { type: 'start' });
    const strike: TransportTargets['strike'] = (fault) => {
      if (!process.isDead) this.strike(fault);
    };
    const targets = { ...run.transportTargets(), userAgent: `operator-${replica}`, process, strike };
    const transport = new SimulatedTransport(run.server.transport(), targets);
    this.transport = transport;
    this.cycles = new CycleRecorder((uid) => run.oracles.handling.onCycleEnd(number, uid));
    const calls = new HandlingRecorder(clock, actor, run, run.oracles.handling);
    const records = { activity: this.activity, cycles: this.cycles, calls, process };
    const effects = run.effects.of(process, ({ kind, key }) => {
      run.timeline.note(actor, `effect ${kind} ${key}`, { type: 'effect' });
      run.timeline.noteViolations(run.oracles.properties.onStep());
      const fault = run.faults.afterWrite(true);
      if (fault) strike(fault as ProcessFault);
    });
    const connection = process.connect(transport);
    const credentials = {
      transport: connection,
      server: run.testServer.url,
      callsHandlers: options.logins === true,
      activity: this.activity,
      expirations: () => run.faults.expirations,
      onFailure: () => run.onFailure(),
    };
    const random = new SeededRandom(plan.seed * 7919 + this.number);
    try {
      const module = await compileApplication({
        options: {
          imports: [run.module],
          kopf: options.kopf,
          override: (builder) => options.override?.(builder, effects),
        },
        server: run.testServer,
        records,
        logger: new SilentLogger(),
        transport: connection,
        replacements: [
          { provide: KOPF_RANDOM, useValue: random },
          { provide: Vault, ...simulatedVault(credentials) },
        ],
        isWired: true,
      });
      if (process.isDead) return;
      this.module = module;
      run.operators.add(module.get(OperatorIdentity, { strict: false }));
      this.watchers = module.get(WatcherSet, { strict: false });
      const operator = module.get(KopfOperator, { strict: false });
      this.operator = operator;
      // Leadership can expire without a fault, too, as during a long login.
      let wasAtWork = false;
      operator.pauseStatus$.subscribe(({ paused }) => {
        if (paused && !process.isDead && wasAtWork) run.onPause(number, actor.name);
        else if (paused && !process.isDead) run.onExpiry(number);
        wasAtWork = !paused && operator.state !== 'idle';
      });
      run.oracles.progress.follow(module);
      run.patchParts.follow(module);
      const lifecycle = module.get(OperatorLifecycle, { strict: false });
      this.getFirstCallsEnd = () =>
        firstCallsEnd(lifecycle.engine?.background.all ?? [], calls.hasBegun, clock.monotonic());
      await module.init();
      if (process.isDead) return;
      this.interval = longestInterval(module.get(HandlerRegistry, { strict: false }));
      if (operator.state !== 'idle') await operator.ready();
      if (!process.isDead) this.isStarting = false;
    } catch (error) {
      if (process.isDead) return;
      run.fail(`The operator cannot start: ${error instanceof Error ? error.message : String(error)}`);
      this.isStarting = false;
    }
  }
}

/** The longest interval of the timers of an operator, in seconds. That of a daemon is assumed to be the default one. */
function longestInterval(registry: HandlerRegistry): number {
  const intervals = registry.allSpawning().map((one) => (one.kind === 'timer' ? (one.interval ?? 10) : 10));
  return Math.max(0, ...intervals);
}
