import { setTimeout as pause } from 'node:timers/promises';
import type { KubeObject } from 'nestjs-kopf';
import { UnexpectedStatusError, type ClusterUser } from '../../support/clusters/cluster.user.js';
import { eventually } from '../../support/time/eventually.js';
import { InstanceLog, type UserEntry } from './instance.log.js';
import type { CutPlan, Program, StepPlan } from './program.js';
import type { Recorded, RecordingProxy } from './recording.proxy.js';
import { untilQuiescent } from './quiescence.detector.js';
import type { SideProcess } from './side.process.js';

const NEVER = new Promise<never>(() => undefined);

/** Where a program is run. */
export interface Scene {
  readonly user: ClusterUser;
  readonly proxy: RecordingProxy;
}

/** One program with its operators, one after another, and with its user, in a namespace of its own. */
export class ProgramRun {
  readonly log = new InstanceLog();
  /** The object in the end; `undefined` if it has gone. */
  final?: KubeObject;
  private process!: SideProcess;
  private life?: OperatorLife;
  private lives = 0;
  private next = 0;
  /** The steps that were carried out, which are not repeated by a successor. */
  private readonly acted = new Set<number>();
  /** A step that is carried out in one of the next calls. */
  private trigger?: { remaining: number; readonly index: number };

  /** @param cut where the first operator is replaced; absent if it is not. */
  constructor(
    readonly program: Program,
    readonly name: string,
    private readonly scene: Scene,
    private cut?: CutPlan,
  ) {}

  /** Goes on with the user's steps, by operators of the process; until they are over or the operator is to be replaced. */
  async play(process: SideProcess): Promise<void> {
    const isSuccessor = this.process !== undefined;
    this.process = process;
    if (isSuccessor) await this.takeOver();
    for (; this.next < this.program.steps.length; this.next++) {
      if (await this.isStoppedBefore(this.next)) return;
      await this.carryOut(this.next);
      if (this.life?.isDead) return;
    }
    await this.rest();
    this.final = await this.read();
  }

  /** Ends the operator of the last process without a trace. */
  private async takeOver(): Promise<void> {
    const wasRunning = this.life !== undefined;
    this.life?.die();
    this.life = undefined;
    this.cut = undefined;
    this.log.pending = 0;
    this.trigger = undefined;
    this.log.add({ type: 'user', action: 'handover' });
    if (wasRunning) {
      await this.startOperator();
      await this.rest();
    }
  }

  /** Tells whether the plan was to stop the operator before this step, which has been done then. */
  private async isStoppedBefore(index: number): Promise<boolean> {
    if (!this.isCutBefore(index) || !this.life) return false;
    await this.rest();
    await this.process.stop(this.life.id);
    return true;
  }

  private isCutBefore(index: number): boolean {
    return this.cut?.at === 'stop' && this.cut.step === index;
  }

  private async carryOut(index: number): Promise<void> {
    const { timing } = this.program.steps[index];
    if (typeof timing === 'object') {
      this.arm(index);
      await this.rest();
      this.trigger = undefined;
    }
    if (timing === 'delayed') await this.rest(true);
    if (this.life?.isDead) return;
    // The next step may belong into a call that comes of this one, so it is got ready before.
    if (index + 1 < this.program.steps.length && !this.isCutBefore(index + 1)) this.arm(index + 1);
    if (!this.acted.has(index)) await this.act(index);
    if (!this.trigger && this.program.steps[index + 1]?.timing !== 'delayed') await this.rest();
  }

  /** Gets a step ready that comes with a call. */
  private arm(index: number): void {
    const { timing } = this.program.steps[index];
    if (typeof timing !== 'object' || this.trigger || this.acted.has(index)) return;
    this.trigger = { remaining: timing.call, index };
  }

  private async act(index: number): Promise<void> {
    const step = this.program.steps[index];
    this.acted.add(index);
    const entry: UserEntry = { type: 'user', action: step.action };
    this.log.add(entry);
    if (step.action === 'start') return this.startOperator();
    if (step.action === 'stop') return this.stopOperator();
    try {
      await this.change(step);
    } catch (error) {
      // What came before may have left no object, or one that is still there: on both sides alike, or it is seen.
      if (!(error instanceof UnexpectedStatusError)) throw error;
      entry.rejected = error.status;
    }
  }

  private async change(step: StepPlan): Promise<void> {
    const { user } = this.scene;
    switch (step.action) {
      case 'create':
        await user.create(this.objects, this.makeObject(step.object));
        break;
      case 'recreate':
        await user.delete(this.object);
        await this.rest();
        if (!this.life?.isDead) await user.create(this.objects, this.makeObject({ spec: { again: 'yes' } }));
        break;
      case 'delete':
        await user.delete(this.object);
        break;
      case 'patch':
        await user.patch(
          step.status && this.program.statusSubresource ? `${this.object}/status` : this.object,
          step.patch,
        );
    }
  }

  private async startOperator(): Promise<void> {
    const { watches } = this.log;
    const life = new OperatorLife(this, `${this.name}.${++this.lives}`);
    this.life = life;
    const { id, namespace, plural } = life;
    this.scene.proxy.instances.set(id, life);
    await this.process.start({ id, namespace, plural, program: this.program });
    await eventually(`the operator of ${id} watches`, () => {
      this.process.check();
      return this.log.watches > watches || life.isDead;
    });
  }

  private async stopOperator(): Promise<void> {
    if (!this.life) return;
    await this.process.stop(this.life.id);
    this.life.die();
    this.life = undefined;
  }

  private async rest(delayed = false): Promise<void> {
    const { life, program, log, process } = this;
    if (!life) return;
    await untilQuiescent({ program, log, process, isOver: () => life.isDead, read: () => this.read() }, delayed);
  }

  private get objects(): string {
    return `/apis/kopf.dev/v1/namespaces/${this.name}/${this.plural}`;
  }

  private get object(): string {
    return `${this.objects}/thing`;
  }

  get plural(): string {
    return this.program.statusSubresource ? 'subthings' : 'things';
  }

  private read(): Promise<KubeObject | undefined> {
    return this.scene.user.get(this.object);
  }

  private makeObject(fields: Readonly<Record<string, unknown>>): object {
    const { metadata, ...rest } = fields;
    const kind = this.program.statusSubresource ? 'SubThing' : 'Thing';
    return { apiVersion: 'kopf.dev/v1', kind, metadata: { name: 'thing', ...(metadata as object) }, ...rest };
  }

  /** Ends the operator's life if the plan says so; else does what the user does in just this call. */
  async passCall(life: OperatorLife): Promise<void> {
    const { cut } = this;
    if (cut?.at === 'call' && this.log.count('call') > cut.index) life.die();
    if (life.isDead || this.log.isOverflowing) return life.die();
    if (!this.trigger || --this.trigger.remaining > 0) return;
    const { index } = this.trigger;
    this.trigger = undefined;
    await this.act(index);
    // The operator has the event before the handler returns, so that it is the same on both sides.
    const version = (await this.read())?.metadata.resourceVersion;
    for (let waited = 0; this.log.delivered !== version && waited < 2000; waited += 10) await pause(10);
  }

  async passWrite(life: OperatorLife): Promise<void> {
    const { cut } = this;
    if (cut?.at !== 'write' || cut.delivered) return;
    if (this.log.countEffectiveWrites() <= cut.index) return;
    // "Changes of an object that has gone meanwhile are sent, and rejected", by Kopf only: the next write is meant.
    if (await this.read()) life.die();
  }

  passAnswer(life: OperatorLife): void {
    const { cut } = this;
    if (cut?.at === 'write' && cut.delivered && this.log.countEffectiveWrites() > cut.index) life.die();
  }
}

/** One operator of a program, from its start until it is stopped or killed; the dead are never answered. */
class OperatorLife implements Recorded {
  isDead = false;
  readonly log: InstanceLog;
  readonly namespace: string;
  readonly plural: string;

  constructor(
    private readonly run: ProgramRun,
    readonly id: string,
  ) {
    this.log = run.log;
    this.namespace = run.name;
    this.plural = run.plural;
  }

  die(): void {
    this.isDead = true;
  }

  async passCall(): Promise<void> {
    if (!this.isDead) await this.run.passCall(this);
    if (this.isDead) await NEVER;
  }

  async passWrite(): Promise<void> {
    if (!this.isDead) await this.run.passWrite(this);
    if (this.isDead) await NEVER;
  }

  async passAnswer(): Promise<void> {
    if (!this.isDead) this.run.passAnswer(this);
    if (this.isDead) await NEVER;
  }
}
