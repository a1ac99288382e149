import { randomInt } from 'node:crypto';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { readPlans } from 'nestjs-kopf/simulation';
import { kopfMatchers } from 'nestjs-kopf/testing';
import { sharesOf, type PlanShare } from './targets/plan.shares.js';
import { runTarget } from './targets/simulation.target.js';
import { findTarget } from './targets/targets.js';

expect.extend(kopfMatchers);

const PLANS = join(import.meta.dirname, 'plans');
const seed = process.env.SIMULATION_SEED === undefined ? randomInt(2 ** 31) : Number(process.env.SIMULATION_SEED);
const count = Number(process.env.SIMULATION_PLANS ?? 200);
console.info(`Simulating ${count} plans of seed ${seed}: SIMULATION_SEED=${seed} npm run test:simulation`);

/** The shares of each kind of targets: one test each. */
function sharesByTarget(): readonly [name: string, shares: readonly PlanShare[]][] {
  const shares = new Map<string, PlanShare[]>();
  for (const share of sharesOf(count, seed)) {
    const name = share.name.replace(/^random-.*/, 'random operators');
    shares.set(name, [...(shares.get(name) ?? []), share]);
  }
  return [...shares];
}

describe(`Plans that are drawn from the seed ${seed}`, () => {
  it.each(sharesByTarget())('should find nothing: %s', async (_name, shares) => {
    for (const share of shares) {
      const plans = { random: share.plans, seed: share.seed };
      const report = await runTarget(findTarget(share.name), { plans, limit: share.plans, seed: share.seed });
      expect(report, share.name).toHaveNoFindings();
      expect(report.plans, share.name).toBe(share.plans);
    }
  });
});

describe('Plans that have found something once', () => {
  const files = readdirSync(PLANS).filter((file) => file.endsWith('.json'));

  it.each(files)('should find nothing any more: %s', async (file) => {
    // The name is that of the target, and what it was about: load-tests.status-fields.json
    const [name] = file.split('.');
    const plans = readPlans(join(PLANS, file));
    expect(await runTarget(findTarget(name), { plans })).toHaveNoFindings();
  });
});
