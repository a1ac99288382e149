import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { Inject, Injectable, Module, type Type } from '@nestjs/common';
import {
  KOPF_RANDOM,
  KopfModule,
  KubeClient,
  OnCreate,
  OnDelete,
  OnUpdate,
  TemporaryError,
  type ChangeContext,
  type KubeObject,
  type Random,
} from 'nestjs-kopf';
import {
  readPlans,
  simulate,
  writePlans,
  type SimulatedState,
  type SimulatedUser,
  type SimulationOptions,
  type SimulationPlan,
  type SimulationReport,
} from 'nestjs-kopf-simulation';
import { kopfMatchers } from 'nestjs-kopf/testing';

expect.extend(kopfMatchers);

const claim = {
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name: 'a', labels: { app: 'claim' } },
  data: { size: '1' },
};
const SELECTED = { labels: { app: 'claim' } };

const workload = async (kube: SimulatedUser): Promise<void> => {
  await kube.apply(claim);
  await kube.settled();
  await kube.patch(claim, { data: { size: '2' } });
  await kube.settled();
  await kube.delete(claim);
  await kube.settled();
};

function secretOf(name: string, size: string, metadata: object): KubeObject {
  return {
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { namespace: 'default', ...metadata },
    stringData: { size },
    type: 'Opaque',
  } as never;
}

@Injectable()
class CarefulOperator {
  constructor(@Inject(KubeClient) private readonly kube: KubeClient) {}

  @OnCreate('configmaps.v1', SELECTED)
  @OnUpdate('configmaps.v1', SELECTED)
  async ensure({ name, body }: ChangeContext) {
    const secret = secretOf(name, (body as any).data.size, { name: `disk-${name}` });
    await this.kube.apply(secret, { fieldManager: 'claims', force: true });
  }

  @OnDelete('configmaps.v1', SELECTED)
  async release({ name }: ChangeContext) {
    await this.kube.delete('secrets.v1', `disk-${name}`, { namespace: 'default' }).catch((error) => {
      if (error.status !== 404) throw error;
    });
  }
}

@Injectable()
class CarelessOperator {
  constructor(@Inject(KubeClient) private readonly kube: KubeClient) {}

  @OnCreate('configmaps.v1', SELECTED)
  async create({ name, body, patch }: ChangeContext) {
    const created = await this.kube.create(secretOf(name, (body as any).data.size, { generateName: `disk-${name}-` }));
    patch.merge({ metadata: { annotations: { 'example.com/disk': created.metadata.name } } });
  }

  @OnDelete('configmaps.v1', SELECTED)
  async release({ annotations }: ChangeContext) {
    await this.kube.delete('secrets.v1', annotations['example.com/disk']!, { namespace: 'default' });
  }
}

function run(operator: Type, options: Partial<SimulationOptions> = {}) {
  @Module({ imports: [KopfModule.forRoot()], providers: [operator] })
  class AppModule {}
  return simulate(AppModule, { workload, ...options });
}

function describeFindings({ findings }: SimulationReport): readonly string[] {
  return findings.map(({ check, message }) => `${check}: ${message}`);
}

// Many runs, which share the machine with other tests.
describe('simulate', { timeout: 300_000 }, () => {
  it('should find nothing in an operator whose handlers can be repeated', async () => {
    const report = await run(CarefulOperator);
    expect(report).toHaveNoFindings();
    expect(report.plans).toBeGreaterThan(50);
    expect(report.coverage).toMatchObject({
      writes: 7,
      crashedWrites: 7,
      faults: {
        crash: 7,
        'lost-answer': 7,
        'missed-events': expect.any(Number),
        stale: expect.any(Number),
        conflict: 4,
      },
    });
  });

  it('should find nothing in it with several faults at once, and with delays', async () => {
    const report = await run(CarefulOperator, { plans: { random: 30, seed: 7 } });
    expect(report).toHaveNoFindings();
    expect(report.plans).toBe(30);
  });

  it('should find the crashes after which a handler does too much, or never ends', async () => {
    const report = await run(CarelessOperator, { patience: 600 });
    expect(describeFindings(report)).toEqual([
      'surplus: Secret default/disk-a-* is created twice, and once without faults',
      "convergence: the operator does not come to rest: 'release' for ConfigMap default/a fails again and again",
    ]);
    const [creation, release] = report.findings;
    expect(creation).toMatchObject({ plan: { faults: [{ kind: 'crash', afterWrite: 2 }], without: [2, 3] } });
    expect(creation.operations).toBe(1);
    // Without the patch, the operator writes once less before.
    expect(release).toMatchObject({
      plan: { faults: [{ kind: 'crash', afterWrite: 5 }], without: [2] },
      operations: 2,
    });
    expect(String(report)).toContain('1.000 s  operator  process 2 starts');
  });

  it('should tell of rules that are broken, and of those that never come to hold', async () => {
    const secrets = ({ list }: SimulatedState) => list('Secret').length;
    const report = await run(CarefulOperator, {
      plans: [],
      always: [
        function noSecrets(state) {
          return secrets(state) === 0;
        },
      ],
      sometimes: [
        function oneSecret(state) {
          return secrets(state) === 1;
        },
        function twoSecrets(state) {
          return secrets(state) === 2;
        },
      ],
    });
    expect(describeFindings(report)).toEqual(['always: noSecrets', 'sometimes: twoSecrets was never reached']);
    expect(report.coverage.sometimes).toEqual({ oneSecret: true, twoSecrets: false });
  });

  it('should notice handlers that are not the same in each run', async () => {
    let calls = 0;
    @Injectable()
    class ChangingOperator extends CarelessOperator {
      @OnCreate('configmaps.v1', SELECTED)
      override async create(context: ChangeContext) {
        if ((calls += 1) % 2) throw new TemporaryError('Not yet.', { delay: calls });
        await super.create(context);
      }
    }
    const report = await run(ChangingOperator, { plans: [] });
    expect(describeFindings(report)).toEqual([
      expect.stringMatching(/^deterministic: not deterministic from event \d+ on: .* what survives a process/),
    ]);
  });

  it('should name the calls because of which handlers are not the same in each run', async () => {
    @Injectable()
    class RandomOperator extends CarelessOperator {
      @OnCreate('configmaps.v1', SELECTED)
      override create({ patch }: ChangeContext) {
        patch.merge({ data: { token: `${Math.random()} ${randomUUID()} ${new Date().getTime()}` } });
        return Promise.resolve();
      }
    }
    const { random } = Math;
    const report = await run(RandomOperator, { plans: [] });
    const [finding] = describeFindings(report);
    expect(finding).toMatch(/'modified ConfigMap default\/a \(change \d\)' at 0 s, with other contents/);
    expect(finding).toMatch(
      /RandomOperator.create \(simulate.e2e-spec.ts:\d+\) calls Math.random\(\): use KOPF_RANDOM;/,
    );
    expect(finding).toMatch(/calls crypto.randomUUID\(\): use KOPF_RANDOM; .* calls new Date\(\): use KOPF_CLOCK\.$/);
    expect(Math.random).toBe(random);
  });

  it('should notice that no handler is called, so that nothing is tested', async () => {
    const other: SimulationOptions['workload'] = async (kube) => {
      await kube.apply({ ...claim, metadata: { name: 'a' } });
      await kube.settled();
    };
    @Module({})
    class EmptyModule {}
    const idle = [expect.stringMatching(/^idle: no handler was called in any run: does the module import KopfModule/)];
    expect(describeFindings(await run(CarefulOperator, { workload: other }))).toEqual(idle);
    expect(describeFindings(await simulate(EmptyModule, { workload }))).toEqual(idle);
    expect(await run(CarefulOperator, { workload: other, oracles: { idle: false } })).toHaveNoFindings();
  });

  it('should accept what an operator makes of the last state where the user edits an object concurrently', async () => {
    @Injectable()
    class NotingOperator {
      @OnUpdate('configmaps.v1', { ...SELECTED, field: 'data.size' })
      resize({ old, new: size, patch }: ChangeContext) {
        patch.merge({ metadata: { annotations: { 'example.com/resized': `${old} to ${size}` } } });
      }
    }
    const concurrentEdits = async (kube: SimulatedUser): Promise<void> => {
      await kube.apply(claim);
      await kube.settled();
      await kube.patch(claim, { data: { size: '2' } });
      await kube.patch(claim, { data: { size: '3' } });
    };
    const patient = async (kube: SimulatedUser): Promise<void> => {
      await kube.apply(claim);
      await kube.settled();
      await kube.patch(claim, { data: { size: '2' } });
      await kube.settled();
      await kube.patch(claim, { data: { size: '3' } });
    };
    const missed: SimulationPlan = {
      seed: 1,
      faults: [{ kind: 'missed-events', resource: 'configmaps', fromChange: 3, untilChange: 4 }],
    };
    expect(await run(NotingOperator, { workload: concurrentEdits, plans: [missed] })).toHaveNoFindings();
    const report = await run(NotingOperator, { workload: patient, plans: [missed] });
    expect(describeFindings(report)).toEqual([
      'final-state: the end differs from that without faults: ' +
        'ConfigMap default/a .metadata.annotations.example.com/resized is "1 to 3" instead of "2 to 3"',
    ]);
  });

  it('should count findings by their cause until it stops, whatever the numbers in their messages are', async () => {
    const crash = (...writes: readonly number[]): SimulationPlan => ({
      seed: 1,
      faults: writes.map((afterWrite) => ({ kind: 'crash', afterWrite })),
    });
    const plans = [crash(2), crash(2, 3), crash(6), crash(6)];
    const report = await run(CarelessOperator, {
      plans,
      stopAfter: 2,
      shrinking: 0,
      oracles: { deterministic: false },
    });
    expect(report.findings.map(({ check, plans: count }) => [check, count])).toEqual([
      ['surplus', 2],
      ['convergence', 1],
    ]);
    expect(report.plans).toBe(3);
    const single = await run(CarelessOperator, { plans: [crash(2, 3)], shrinking: 0 });
    expect(describeFindings(single)).toEqual([
      'surplus: Secret default/disk-a-* is created 3 times, and once without faults',
    ]);
  });

  it('should keep plans in files', () => {
    const file = join(mkdtempSync(join(tmpdir(), 'plans-')), 'plans.json');
    const plan: SimulationPlan = { seed: 3, faults: [{ kind: 'lost-answer', ofWrite: 2 }] };
    writePlans(file, [{ plan, check: 'surplus', message: 'too many' }]);
    expect(readPlans(file)).toEqual([{ ...plan, found: 'surplus: too many' }]);
    writeFileSync(file, '{}');
    expect(() => readPlans(file)).toThrow('is no file of plans of version 1');
    rmSync(dirname(file), { recursive: true });
  });

  it.each<[string, Partial<SimulationOptions>]>([
    ['each plan takes seconds', {}],
    ['each plan takes seconds', { plans: { random: 10 } }],
    ['no form of the fault', { plans: [{ seed: 1, faults: [{ kind: 'webhook-down', fromReview: 1 }] }] }],
    ['states of an object', { plans: [{ seed: 1, faults: [], states: [] }] }],
  ])('should refuse what cannot be run on a cluster: %s', async (message, options) => {
    @Module({})
    class EmptyModule {}
    await expect(simulate(EmptyModule, { workload, cluster: 'none', ...options })).rejects.toThrow(message);
  });

  it('should let an operator crash between an effect outside of the cluster and its record', async () => {
    @Injectable()
    class Buckets {
      create = async (_key: string): Promise<void> => {};
    }
    @Injectable()
    class BucketOperator {
      constructor(
        @Inject(Buckets) private readonly buckets: Buckets,
        @Inject(KOPF_RANDOM) private readonly random: Random,
      ) {}

      @OnCreate('configmaps.v1', SELECTED)
      async create({ patch }: ChangeContext) {
        const key = `bucket-${Math.floor(this.random.next() * 1e6)}`;
        await this.buckets.create(key);
        patch.merge({ metadata: { annotations: { 'example.com/bucket': key } } });
      }
    }
    @Module({ imports: [KopfModule.forRoot()], providers: [Buckets, BucketOperator] })
    class BucketModule {}
    const oneBucket = ({ effects }: SimulatedState) => effects.all.length <= 1;
    const report = await simulate(BucketModule, {
      workload,
      always: [oneBucket],
      oracles: { surplus: false },
      override: (builder, effects) =>
        builder.overrideProvider(Buckets).useValue({ create: (key: string) => effects.record('bucket.create', key) }),
      plans: [{ seed: 1, faults: [{ kind: 'crash', afterWrite: 1 }] }],
    });
    expect(describeFindings(report)).toEqual(['always: oneBucket']);
  });

  it('should check properties after each effect, also if no object changes before the next one', async () => {
    @Injectable()
    class Doors {
      turn = async (_how: string): Promise<void> => {};
    }
    @Injectable()
    class DoorOperator {
      constructor(@Inject(Doors) private readonly doors: Doors) {}

      @OnCreate('configmaps.v1', SELECTED)
      async create() {
        await this.doors.turn('open');
        await this.doors.turn('close');
      }
    }
    @Module({ imports: [KopfModule.forRoot()], providers: [Doors, DoorOperator] })
    class DoorModule {}
    const report = await simulate(DoorModule, {
      workload,
      always: [
        function isClosed({ effects }) {
          return effects.all.at(-1)?.kind !== 'open';
        },
      ],
      sometimes: [
        function isOpen({ effects }) {
          return effects.all.at(-1)?.kind === 'open';
        },
      ],
      override: (builder, effects) =>
        builder.overrideProvider(Doors).useValue({ turn: (how: string) => effects.record(how, 'door') }),
      plans: [],
    });
    expect(describeFindings(report)).toEqual(['always: isClosed']);
  });
});
