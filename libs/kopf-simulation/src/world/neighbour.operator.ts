import type { TestingModule } from '@nestjs/testing';
import { type KubeTransport, SeededRandom } from 'kube-common';
import { ActivityTracker, compileApplication, CycleRecorder } from 'nestjs-kopf/testing';
import { KOPF_RANDOM, KopfOperator } from 'nestjs-kopf';
import { SilentLogger, Vault } from 'nestjs-kopf/tooling';
import type { OperatorRun } from './simulated.operator.js';
import type { SimulatedModule } from './prepared.world.js';
import { simulatedVault } from './simulated.vault.js';
import { WorldProcess } from './world.process.js';

/** Records no calls, as the neighbour is not checked. */
const UNOBSERVED = { isRoutine: () => true, begin: () => {}, end: () => {} };

/** Another operator on the cluster of a run. It meets no faults, and only what it writes is checked: as a part of the cluster's state. */
export class NeighbourOperator {
  private readonly name: string;
  private readonly activity = new ActivityTracker();
  private readonly cycles = new CycleRecorder();
  private process?: WorldProcess;
  private isStarting = false;

  /** @param number counts the neighbours, from 1 on */
  constructor(
    private readonly run: OperatorRun,
    private readonly module: SimulatedModule,
    private readonly number: number,
  ) {
    this.name = `neighbour-${number}`;
  }

  /** Whether anything is under way, or about to be. */
  get isBusy(): boolean {
    return this.isStarting || !this.cycles.isIdle || this.activity.isUnderWay;
  }

  start(): void {
    this.isStarting = true;
    void this.begin();
  }

  kill(): void {
    this.process?.kill();
  }

  private async begin(): Promise<void> {
    const { run, name, activity, cycles } = this;
    const process = new WorldProcess(run.time.clock, 0);
    this.process = process;
    run.timeline.note(name, 'starts', { type: 'start' });
    try {
      const module = await this.compile(process, process.connect(this.connect()), { activity, cycles });
      await module.init();
      const operator = module.get(KopfOperator, { strict: false });
      if (!process.isDead && operator.state !== 'idle') await operator.ready();
    } catch (error) {
      if (!process.isDead) run.fail(`The operator beside it cannot start: ${(error as Error).message}`);
    }
    this.isStarting = false;
  }

  private compile(
    process: WorldProcess,
    transport: KubeTransport,
    records: { readonly activity: ActivityTracker; readonly cycles: CycleRecorder },
  ): Promise<TestingModule> {
    const { run, number } = this;
    const credentials = {
      transport,
      server: run.testServer.url,
      callsHandlers: false,
      activity: records.activity,
      expirations: () => 0,
      onFailure: () => {},
    };
    return compileApplication({
      options: { imports: [this.module] },
      server: run.testServer,
      records: { ...records, calls: UNOBSERVED, process },
      logger: new SilentLogger(),
      transport,
      replacements: [
        { provide: KOPF_RANDOM, useValue: new SeededRandom(run.plan.seed * 6101 + number) },
        { provide: Vault, ...simulatedVault(credentials) },
      ],
      isWired: true,
    });
  }

  /** Connects with the cluster, in its own name. */
  private connect(): KubeTransport {
    const { activity } = this.run.transportTargets();
    const server = this.run.server.transport();
    return {
      request: async (request) => {
        const end = activity.begin();
        try {
          return await server.request({ ...request, headers: { ...request.headers, 'user-agent': this.name } });
        } finally {
          end();
        }
      },
      close: () => server.close(),
    };
  }
}
