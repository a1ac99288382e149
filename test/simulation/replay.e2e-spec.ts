import { simulate, type SimulationOptions } from 'nestjs-kopf-simulation';
import { asap } from '../../libs/kopf/src/execution/lifecycles.js';
import { KOPF_LIFECYCLE } from '../../libs/kopf/src/kopf.tokens.js';
import { FAULT_KINDS, replayPlans, replayWorkload, storingModule } from './replay.world.js';

/** Runs the plans with an operator that stores a value in each object. */
function replay(value: () => unknown, { seed = 3, ...options }: Partial<SimulationOptions> = {}) {
  return simulate(storingModule(value), { ...options, workload: replayWorkload, plans: replayPlans(seed) });
}

describe('Replays of plans', { timeout: 300_000 }, () => {
  it('should be the same to the bit, whatever goes wrong in them', async () => {
    const [first, second, other] = [await replay(() => 1), await replay(() => 1), await replay(() => 1, { seed: 4 })];
    expect(Object.keys(first.coverage.faults).sort()).toEqual(FAULT_KINDS);
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
