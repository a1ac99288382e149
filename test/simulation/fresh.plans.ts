import { kopfMatchers } from 'nestjs-kopf/testing';
import { sharesOf, type PlanShare } from './targets/plan.shares.js';
import { runTarget } from './targets/simulation.target.js';
import { findTarget } from './targets/targets.js';

/** The number of files that share the plans out, so that they run at the same time. */
const PARTS = 2;

/** Declares the tests of one part of the plans that are drawn from the seed of this run. @param part counts from 0 on */
export function describeFreshPlans(part: number): void {
  expect.extend(kopfMatchers);
  const seed = Number(process.env.SIMULATION_SEED);
  const count = Number(process.env.SIMULATION_PLANS ?? 200);
  const title = `${count} plans that are drawn from the seed ${seed}, part ${part + 1} of ${PARTS}`;
  const again = `SIMULATION_PLANS=${count} SIMULATION_SEED=${seed} npm run test:simulation`;
  if (part === 0) console.info(`Simulating ${count} plans: ${again}`);

  describe(title, () => {
    it.each(sharesByTarget(count, seed, part))('should find nothing: %s', async (_name, shares) => {
      for (const share of shares) {
        const plans = { random: share.plans, seed: share.seed };
        const report = await runTarget(findTarget(share.name), { plans, limit: share.plans, seed: share.seed });
        expect(report, share.name).toHaveNoFindings();
        expect(report.plans, share.name).toBe(share.plans);
      }
    });
  });
}

/** The shares of each kind of targets: one test each. */
function sharesByTarget(
  count: number,
  seed: number,
  part: number,
): readonly [name: string, shares: readonly PlanShare[]][] {
  const shares = new Map<string, PlanShare[]>();
  const own = sharesOf(count, seed).filter((_, index) => index % PARTS === part);
  for (const share of own) {
    const name = share.name.replace(/^random-.*/, 'random operators');
    shares.set(name, [...(shares.get(name) ?? []), share]);
  }
  return [...shares];
}
