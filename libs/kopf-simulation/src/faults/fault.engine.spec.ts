import { Inject, Injectable, Module } from '@nestjs/common';
import type { Clock } from 'kube-common';
import { KOPF_CLOCK, KopfModule, type KopfModuleOptions, OnCreate, OnUpdate, Validate } from 'nestjs-kopf';
import { WebhookServer } from 'nestjs-kopf/webhooks';
import type { SimulationOptions } from '../simulation.options.js';
import type { SimulationFault } from '../simulation.plan.js';
import { prepareWorld } from '../world/prepared.world.js';
import type { RunRecord } from '../run/run.record.js';
import { SimulationRun } from '../run/simulation.run.js';

const claim = {
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name: 'a', labels: { app: 'claim' } },
  data: { size: '1' },
};
const CLAIMS = { labels: { app: 'claim' } };

/** The world outside of the cluster. */
@Injectable()
class Outside {
  set = async (_key: string, _value: unknown): Promise<void> => {};
}

@Injectable()
class ClaimOperator {
  constructor(
    @Inject(Outside) private readonly outside: Outside,
    @Inject(KOPF_CLOCK) private readonly clock: Clock,
  ) {}

  @OnCreate('configmaps.v1', CLAIMS)
  async create() {
    await this.outside.set('time', this.clock.now());
    return { done: true };
  }

  @OnUpdate('configmaps.v1', CLAIMS)
  async resize() {
    await this.outside.set('resized', true);
  }
}

@Injectable()
class Guarded {
  @Validate('configmaps.v1', CLAIMS)
  check() {}
}

const workload: SimulationOptions['workload'] = async (kube) => {
  await kube.apply(claim);
  await kube.settled();
  await kube.patch(claim, { data: { size: '2' } });
};

async function run(
  faults: readonly SimulationFault[],
  {
    kopf,
    replicas,
    providers = [],
  }: { kopf?: KopfModuleOptions; replicas?: number; providers?: (typeof Guarded)[] } = {},
): Promise<RunRecord & { readonly memory: ReadonlyMap<string, unknown> }> {
  @Module({ imports: [KopfModule.forRoot(kopf)], providers: [ClaimOperator, Outside, ...providers] })
  class ClaimModule {}
  const memory = new Map<string, unknown>();
  const world = await prepareWorld(ClaimModule, {
    workload,
    replicas,
    override: (builder, effects) =>
      builder.overrideProvider(Outside).useValue({
        set: (key: string, value: unknown) => effects.record('set', key, () => void memory.set(key, value)),
      }),
  });
  const record = await new SimulationRun(world, { seed: 1, faults }).execute();
  expect(record.violations).toEqual([]);
  expect([...record.fired]).toEqual(faults);
  return { ...record, memory };
}

/** The seconds at which the effects have happened. */
function timesOf({ timeline }: RunRecord, text: string | RegExp): number[] {
  return timeline.entries.filter((entry) => entry.text.match(text)).map(({ time }) => time);
}

describe('FaultEngine', () => {
  it('should crash the operator before a request reaches the server', async () => {
    const record = await run([{ kind: 'crash', beforeAttempt: 1 }]);
    const [first, second] = timesOf(record, 'effect set time');
    expect(second).toBe(first! + 1);
    expect(timesOf(record, /^process 2 starts/)).toEqual([second]);
  });

  it('should freeze a process, and let it continue later', async () => {
    const record = await run([{ kind: 'freeze', afterWrite: 1, seconds: 40 }]);
    const [effect] = timesOf(record, 'effect set time');
    expect(timesOf(record, /^process 1 continues/)).toEqual([effect! + 40]);
    expect(timesOf(record, /^'create' .* has succeeded/)).toEqual([effect! + 40]);
  });

  it.each([{ afterWrite: 1 }, { beforeAttempt: 4 }, { afterWrite: 6 }])(
    'should let another replica take over from a frozen one: %j',
    async (position) => {
      const kopf: KopfModuleOptions = { coordination: 'lease', lease: { name: 'claims', namespace: 'default' } };
      const record = await run([{ kind: 'freeze', ...position, seconds: 120 }], { kopf, replicas: 2 });
      expect(timesOf(record, / continues$/)).toHaveLength(1);
      expect(record.memory.get('resized')).toBe(true);
    },
  );

  it('should let the API server ask to wait', async () => {
    const record = await run([{ kind: 'error', ofAttempt: 1, status: 429, retryAfter: 7 }]);
    const [effect] = timesOf(record, 'effect set time');
    expect(timesOf(record, /^modified ConfigMap default\/a/)[0]).toBeGreaterThanOrEqual(effect! + 7);
  });

  it('should have the operator log in again when its credentials are rejected', async () => {
    const clean = await run([]);
    const record = await run([{ kind: 'error', ofAttempt: 1, status: 401 }]);
    expect(record.state).toEqual(clean.state);
    expect(record.requests).toHaveLength(clean.requests.length + 1);
  });

  it.each([401, 429, 500])(
    'should reject lists and watches with %i, which the operator tries again',
    async (status) => {
      const clean = await run([]);
      expect(new Set(clean.reads.map(({ resource }) => resource))).toContain('configmaps');
      const record = await run([{ kind: 'error', ofRead: 1, status, times: clean.reads.length }]);
      expect(record.fired.size).toBe(1);
      expect(record.state).toEqual(clean.state);
      expect(record.reads).toHaveLength(2 * clean.reads.length);
    },
  );

  it('should refuse connections for a while', async () => {
    const record = await run([{ kind: 'outage', afterChange: 1, seconds: 20 }]);
    const [begin] = timesOf(record, /refuses connections/);
    expect(timesOf(record, /^modified ConfigMap default\/a/)[0]).toBeGreaterThanOrEqual(begin! + 20);
  });

  it('should keep reviews from the operator for a while', async () => {
    const record = await run([{ kind: 'webhook-down', fromReview: 1, seconds: 5 }], {
      kopf: { admission: { managed: 'claims.example.com', server: new WebhookServer() } },
      providers: [Guarded],
    });
    const [asked] = timesOf(record, /^applies/);
    expect(timesOf(record, /^added ConfigMap/)[0]).toBeGreaterThanOrEqual(asked! + 5);
  });

  it('should let wall clocks jump', async () => {
    const { memory: before } = await run([]);
    const { memory: after } = await run([{ kind: 'clock-jump', afterChange: 0, seconds: -3600 }]);
    expect(after.get('time')).toBe((before.get('time') as number) - 3_600_000);
  });

  it('should leave the change of another client that makes a request conflict', async () => {
    const clean = await run([]);
    const record = await run([{ kind: 'conflict', beforeAttempt: 1, times: 2, stays: true }]);
    expect(timesOf(record, /^modified ConfigMap/).length).toBe(timesOf(clean, /^modified ConfigMap/).length + 2);
    expect(record.state).toEqual(clean.state);
  });

  it('should reject a part of a patch, and none that does not change it', async () => {
    const clean = await run([]);
    const parts = clean.requests.flatMap(({ patch }) => (patch ? [[...patch.parts]] : []));
    expect(parts).toEqual([
      ['object', 'annotations'],
      ['object', 'annotations'],
    ]);
    const fault = { kind: 'rejected-patch', resource: 'configmaps', part: 'annotations', by: 500 } as const;
    const record = await run([{ ...fault, times: 2 }]);
    expect(record.state).toEqual(clean.state);
    expect(record.requests).toHaveLength(clean.requests.length + 2);
  });

  it('should let valid credentials be rejected for some seconds, after which they are used again', async () => {
    const clean = await run([]);
    const record = await run([{ kind: 'unauthorized', afterChange: 1, seconds: 4 }]);
    const [begin] = timesOf(record, /answered by 401/);
    expect(timesOf(record, /^modified ConfigMap default\/a/)[0]).toBeGreaterThanOrEqual(begin! + 4);
    expect(record.state).toEqual(clean.state);
  });

  it('should let clocks be wrong from the beginning on, until they are corrected', async () => {
    const { memory: before } = await run([]);
    const skew = { kind: 'clock-skew', seconds: 7200, afterChange: 0 } as const;
    const { memory: wrong } = await run([skew]);
    expect(wrong.get('time')).toBe((before.get('time') as number) + 7_200_000);
    const corrected = await run([{ ...skew, untilChange: 1 }]);
    expect(corrected.memory.get('time')).toBe(before.get('time'));
    expect(timesOf(corrected, 'the clock is corrected')).toHaveLength(1);
  });
});
