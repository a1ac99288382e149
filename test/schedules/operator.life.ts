import { Test, type TestingModule } from '@nestjs/testing';
import type { EmbeddedKube } from 'embedded-kube';
import { KopfIndices, KopfModule, KopfOperator, type Clock } from 'nestjs-kopf';
import { SeededRandom } from 'nestjs-kopf/testing';
import { KOPF_LOGGER } from '../../libs/kopf/src/kopf.tokens.js';
import { KillableProcess } from '../load/killable.process.js';
import { SilentLogger } from '../support/telemetry/memory.logger.js';
import type { BackgroundLog } from './background.log.js';
import type { CallLog } from './call.log.js';
import type { ExampleObject } from './example.resource.js';
import { makeSettings, type PlannedStorages } from './operator.settings.js';
import { makeOperator } from './planned.operator.js';
import type { RepetitionLedger } from './repetition.ledger.js';
import type { SchedulePlan } from './schedule.plan.js';
import type { ScheduleLogger } from './schedule.logger.js';
import type { SyncPoints } from './sync.points.js';
import type { RequestFaults } from './request.faults.js';
import { FaultyTransport } from './faulty.transport.js';

/** The parts of the environment that all instances of an operator share. */
export interface OperatorWorld {
  readonly plan: SchedulePlan;
  readonly clock: Clock;
  readonly kube: EmbeddedKube;
  readonly storages: PlannedStorages;
  readonly syncPoints: SyncPoints;
  readonly faults: RequestFaults;
  readonly calls: CallLog;
  readonly ledger: RepetitionLedger;
  readonly background: BackgroundLog;
  readonly logger: ScheduleLogger;
  readonly orderOf: (uid: string) => number;
}

/** One instance of the planned operator, from its start to its end. */
export class OperatorLife {
  private module?: TestingModule;
  private ended = false;

  private constructor(
    /** The number of the instance, from 0. */
    readonly instance: number,
    private readonly process: KillableProcess,
    readonly transport: FaultyTransport,
  ) {}

  /** Starts an instance on the cluster; returns when it has begun to start. */
  static async begin(world: OperatorWorld, instance: number): Promise<OperatorLife> {
    const { plan, clock, kube, syncPoints, faults, calls, background, storages, ledger } = world;
    const onLateWrite = (object: unknown): void => ledger.noteLate(object as ExampleObject, calls);
    const transport = new FaultyTransport(kube.transport(), clock, syncPoints, faults, onLateWrite);
    const process = new KillableProcess(clock, transport);
    const life = new OperatorLife(instance, process, transport);
    const tools = {
      seed: plan.seed,
      instance,
      clock: process.clock,
      calls,
      syncPoints,
      orderOf: world.orderOf,
      background,
    };
    life.module = await Test.createTestingModule({
      imports: [
        KopfModule.forRoot({
          clock: process.clock,
          random: new SeededRandom(plan.seed + instance),
          credentials: { server: 'http://embedded', transport: process.transport },
          ...makeSettings(plan.operator, storages),
        }),
      ],
      providers: [makeOperator(plan.operator.handlers, tools)],
    })
      .overrideProvider(KOPF_LOGGER)
      .useValue(world.logger.of(instance))
      .setLogger(new SilentLogger())
      .compile();
    life.module.init().catch(() => undefined);
    return life;
  }

  /** Tells whether the instance has failed to start, or has stopped: a supervisor would start another one. */
  get isOver(): boolean {
    return this.ended || this.operator.state === 'failed';
  }

  get state(): string {
    return this.ended ? 'ended' : this.operator.state;
  }

  get indices(): KopfIndices {
    return this.module!.get(KopfIndices);
  }

  /** Ends the instance as a crash does: nothing of it reaches the cluster any more, and it notices nothing. */
  crash(): void {
    this.ended = true;
    this.process.kill();
  }

  /** Stops the instance as a shutdown does. */
  async stop(): Promise<void> {
    await this.module!.close();
    this.ended = true;
  }

  private get operator(): KopfOperator {
    return this.module!.get(KopfOperator);
  }
}
