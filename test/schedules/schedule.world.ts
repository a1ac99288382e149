import { EmbeddedKube } from 'embedded-kube';
import { SeededRandom, VirtualClock } from 'nestjs-kopf/testing';
import { customResource, DEFINITIONS, ClusterUser } from '../support/clusters/cluster.user.js';
import { MemoryLogger } from '../support/telemetry/memory.logger.js';
import { BackgroundLog } from './background.log.js';
import { CallLog, type HandlerCall } from './call.log.js';
import { ObjectHistory, type ObjectPast } from './object.history.js';
import { OperatorLife, type OperatorWorld } from './operator.life.js';
import { fullId } from './planned.operator.js';
import { makeStorages, type PlannedStorages } from './operator.settings.js';
import { RepetitionLedger } from './repetition.ledger.js';
import { ScheduleLogger } from './schedule.logger.js';
import type { FaultAction, OperatorAction, SchedulePlan, Step } from './schedule.plan.js';
import { ScheduleUser } from './schedule.user.js';
import { SyncPoints } from './sync.points.js';
import { RequestFaults, type RequestFault } from './request.faults.js';

/** Limits for how many seconds a step waits for its sync point, before it is done all the same. */
const SYNC_POINT_TIMEOUT = 15;
const LINES = { resource: 'kopfexamples.kopf.dev' };

/** A cluster, a user, an operator, and all that goes wrong between them, in this process and on virtual time. */
export class ScheduleWorld implements OperatorWorld {
  readonly clock = new VirtualClock();
  readonly syncPoints = new SyncPoints();
  readonly faults = new RequestFaults();
  readonly background = new BackgroundLog();
  readonly storages: PlannedStorages;
  readonly logger: ScheduleLogger;
  readonly calls: CallLog;
  readonly ledger: RepetitionLedger;
  readonly lives: OperatorLife[] = [];
  kube: EmbeddedKube;
  history: ObjectHistory;
  /** Objects that were handled already when the last instance was started. */
  handledBefore: ReadonlySet<string> = new Set();
  /** The handlers that were recorded as resumed when the last instance was started, by uids and ids. */
  resumedBefore: ReadonlySet<string> = new Set();
  private user: ScheduleUser;
  private restarting?: Promise<void>;

  constructor(
    readonly plan: SchedulePlan,
    isVerbose: boolean,
  ) {
    this.storages = makeStorages(plan.operator);
    this.logger = new ScheduleLogger(this.clock, isVerbose);
    this.ledger = new RepetitionLedger(plan.operator, this.storages);
    this.calls = new CallLog((call, earlier) => {
      this.logger.note(
        `  call ${call.number}: ${call.id} (${call.reason}, retry ${call.retry}) of ${call.uid} shown ${call.seen}`,
      );
      this.ledger.called(call, earlier);
    });
  }

  readonly orderOf = (uid: string): number => this.history.objects.get(uid)?.order ?? -1;

  /** Tells whether the operator has no record of the call: it was made by an instance that has died without having recorded it. */
  isLost(call: HandlerCall | undefined): boolean {
    return call !== undefined && call.instance !== this.operator.instance && !this.ledger.knows(call);
  }

  get operator(): OperatorLife {
    return this.lives.at(-1)!;
  }

  /** Lets everything happen that the plan says, and then ends all faults. */
  async run(onReady: () => void = () => undefined): Promise<void> {
    await this.begin();
    onReady();
    for (const step of this.plan.steps) await this.do(step);
    await this.clearFaults();
  }

  async advance(seconds: number): Promise<void> {
    await this.clock.advance(seconds * 1000);
    // A supervisor starts an operator again that could not start.
    if (this.operator.isOver && !this.restarting) await this.replaceOperator(0);
  }

  async close(): Promise<void> {
    for (const life of this.lives) life.crash();
    this.history.close();
    const stopping = this.kube.stop();
    await this.clock.advance(5000);
    await stopping;
  }

  private async begin(): Promise<void> {
    const { clock, plan } = this;
    const logger = new MemoryLogger();
    const random = new SeededRandom(plan.seed);
    this.kube = await EmbeddedKube.start({ clock, random, port: false, logger, historySize: plan.historySize });
    const cluster = new ClusterUser(this.kube.transport());
    await cluster.create(DEFINITIONS, customResource({ statusSubresource: plan.statusSubresource }));
    await clock.advance(1000);
    this.history = new ObjectHistory(this.kube, this.storages.diffbaseStorage);
    this.history.onState((past, object) => {
      this.logger.note(`  server: ${past.name} ${past.isGone ? 'is gone' : JSON.stringify(object)}`);
      this.ledger.note(past, object, this.calls);
    });
    this.user = new ScheduleUser(this.kube, this.history, plan.seed);
    await this.startOperator();
  }

  private async do({ when, action }: Step): Promise<void> {
    const act = (): Promise<void> => this.act(action);
    if ('after' in when) {
      await this.advance(when.after);
      return act();
    }
    this.syncPoints.await(when.at, when.count, act);
    for (let waited = 0; waited < SYNC_POINT_TIMEOUT && this.syncPoints.isWaiting; waited += 0.5)
      await this.advance(0.5);
    await this.syncPoints.cancel()?.();
  }

  private async act(action: Step['action']): Promise<void> {
    this.logger.note(`step: ${JSON.stringify(action)}`);
    switch (action.do) {
      case 'create':
      case 'edit':
      case 'label':
      case 'revert':
      case 'delete':
      case 'recreate':
      case 'replace':
        return this.user.act(action);
      case 'crash':
      case 'restart':
        return this.changeOperator(action);
      default:
        return this.injectFault(action);
    }
  }

  private async injectFault(fault: FaultAction): Promise<void> {
    const { kube, faults } = this;
    if (isRequestFault(fault)) return faults.inject(fault);
    if (fault.do === 'silence')
      faults.count(`silence, then ${fault.then}`, this.operator.transport.silenceWatches(fault.seconds, fault.then));
    else if (fault.do === 'reset') faults.count('watch reset', kube.faults.damageWatches('cut', LINES));
    else if (fault.do === 'end') faults.count('watch ended', kube.faults.damageWatches('end', LINES));
    else if (fault.do === 'gone') faults.count('watch gone', kube.faults.damageWatches({ error: 410 }, LINES));
    else if (fault.do === 'broken-line') kube.faults.damageLines('cut', LINES);
    else if (fault.do === 'expire') kube.expireHistory();
    else if (fault.do === 'down') await this.takeDown(fault.seconds, fault.forgetful);
    if (fault.do === 'broken-line' || fault.do === 'expire') faults.count(fault.do);
  }

  private async takeDown(seconds: number, forgetful: boolean): Promise<void> {
    const { kube, clock, faults } = this;
    if (kube.faults.isDown) return;
    faults.count(forgetful ? 'server restart without history' : 'server restart');
    await kube.faults.goDown();
    clock.setTimer(() => {
      if (forgetful) kube.expireHistory();
      void kube.faults.comeBack();
    }, seconds * 1000);
  }

  private async changeOperator({ do: kind, seconds }: OperatorAction): Promise<void> {
    if (this.restarting) return;
    this.faults.count(kind);
    if (kind === 'crash') this.operator.crash();
    const stopped = kind === 'crash' ? Promise.resolve() : this.operator.stop();
    this.restarting = stopped.then(() => this.replaceOperator(seconds)).finally(() => (this.restarting = undefined));
  }

  private async replaceOperator(seconds: number): Promise<void> {
    if (!this.operator.isOver || this.operator.state === 'failed') this.operator.crash();
    if (seconds > 0) await new Promise<void>((resolve) => this.clock.setTimer(resolve, seconds * 1000));
    await this.startOperator();
  }

  private async startOperator(): Promise<void> {
    const handled = this.history.alive.filter(({ object }) => this.history.handledEssence(object) !== undefined);
    this.handledBefore = new Set(handled.map(({ uid }) => uid));
    this.resumedBefore = new Set(handled.flatMap((past) => this.findResumed(past)));
    this.logger.note(`operator ${this.lives.length} starts`);
    this.lives.push(await OperatorLife.begin(this, this.lives.length));
  }

  private findResumed({ uid, object }: ObjectPast): readonly string[] {
    const { progressStorage } = this.storages;
    const ids = this.plan.operator.handlers.filter(({ kind }) => kind === 'resume').map(fullId);
    return ids.filter((id) => progressStorage.fetch(id, object)).map((id) => `${uid} ${id}`);
  }

  /** Lets nothing more go wrong, and has an operator started if there is none. */
  private async clearFaults(): Promise<void> {
    this.faults.clear();
    this.kube.faults.clear();
    await this.kube.faults.comeBack();
    for (let waited = 0; this.restarting && waited < 600; waited++) await this.clock.advance(1000);
    this.logger.note('all faults are over');
  }
}

function isRequestFault(fault: FaultAction): fault is RequestFault {
  return 'times' in fault;
}
