import { Injectable, Module } from '@nestjs/common';
import { KopfModule, OnCreate, type ChangeContext } from 'nestjs-kopf';
import { simulate, type SimulatedUser, type SimulationOptions, type SimulationPlan } from 'nestjs-kopf/simulation';
import { asap } from '../../libs/kopf/src/execution/lifecycles.js';
import { KOPF_LIFECYCLE } from '../../libs/kopf/src/kopf.tokens.js';
import { claim, CLAIMS } from './museum/exhibit.js';

const workload = async (kube: SimulatedUser): Promise<void> => {
  await kube.apply(claim);
  await kube.settled();
  await kube.patch(claim, { data: { size: '2' } });
};

/** A plan with every kind of fault, and with delays, which are drawn. */
const plan: SimulationPlan = {
  seed: 3,
  delays: true,
  faults: [
    { kind: 'stale', resource: 'configmaps', fromChange: 2, untilChange: 3 },
    { kind: 'crash', afterWrite: 1 },
    { kind: 'lost-answer', ofWrite: 2 },
    { kind: 'conflict', beforeAttempt: 3 },
    { kind: 'error', ofAttempt: 5, status: 500 },
    { kind: 'skip', resource: 'configmaps', fromChange: 5, untilChange: 6 },
  ],
};

/** Runs the plan with an operator that stores a value in each object. */
function replay(value: () => unknown, { seed = plan.seed, ...options }: Partial<SimulationOptions> = {}) {
  @Injectable()
  class StoringOperator {
    @OnCreate('configmaps.v1', CLAIMS)
    store({ patch }: ChangeContext) {
      patch.metadata.annotations = { value: String(value()) };
    }
  }

  @Module({ imports: [KopfModule.forRoot()], providers: [StoringOperator] })
  class StoringModule {}

  return simulate(StoringModule, { ...options, workload, plans: [{ ...plan, seed }] });
}

describe('Replays of plans', { timeout: 300_000 }, () => {
  it('should be the same to the bit, whatever goes wrong in them', async () => {
    const [first, second, other] = [await replay(() => 1), await replay(() => 1), await replay(() => 1, { seed: 4 })];
    expect(Object.keys(first.coverage.faults).length).toBeGreaterThan(4);
    expect(second.digest).toBe(first.digest);
    expect(other.digest).not.toBe(first.digest);
  });

  it('should be the same if the application replaces a provider of the library, so that Nest makes all of them', async () => {
    let made = 0;
    const { digest } = await replay(() => 1, {
      override: (builder) =>
        builder.overrideProvider(KOPF_LIFECYCLE).useFactory({ factory: () => ((made += 1), asap), inject: [] }),
    });
    expect(digest).toBe((await replay(() => 1)).digest);
    expect(made).toBeGreaterThan(1);
  });

  it('should be found to differ if handlers store something else each time', async () => {
    let calls = 0;
    const { findings } = await replay(() => (calls += 1));
    expect(findings.map(({ check }) => check)).toEqual(['deterministic']);
    expect(findings[0].message).toMatch('with other contents');
  });
});
