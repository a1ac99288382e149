import type { SimulationFinding, SimulationOptions } from 'nestjs-kopf-simulation';
import { kopfMatchers } from 'nestjs-kopf/testing';
import { byForm } from '../../support/runner/test.form.js';
import { operationsOf } from './detection.js';
import { type RegressionCase, simulateCase } from './regression.case.js';
import { REGRESSION_CASES } from './regression.cases.js';

expect.extend(kopfMatchers);

/** The number of plans of each kind that are run in the long form of the tests, unless `REGRESSION_PLANS` says otherwise. */
const PLANS = Number(process.env.REGRESSION_PLANS ?? byForm({ short: 0, long: 100 }));

const named = REGRESSION_CASES.map((regression) => [regression.name, regression] as const);

function isOf({ check }: RegressionCase): (finding: SimulationFinding) => boolean {
  return (finding) => finding.check === check;
}

/** Selects the first two cases of each pattern. */
function isSample(regression: RegressionCase): boolean {
  return REGRESSION_CASES.filter(({ pattern }) => pattern === regression.pattern).indexOf(regression) < 2;
}

/** Options that run the plan of a case alone: it is not made smaller, and not run again. */
function smallest({ faults, states, options }: RegressionCase): Partial<SimulationOptions> {
  const { oracles, changes } = options;
  return {
    plans: [{ seed: 1, faults, states }],
    ...(changes && { changes: { ...changes, runs: 0 } }),
    shrinking: 0,
    oracles: { ...oracles, deterministic: false },
  };
}

describe('The regression cases', { timeout: 300_000 }, () => {
  it.each(named)('should find by its smallest plan %s', async (_name, regression) => {
    const report = await simulateCase(regression, regression.bug, smallest(regression));
    expect(report.findings.some(isOf(regression)), String(report)).toBe(true);
  });

  // All fixed variants are run in the long form, by far more plans.
  it.each(named.filter(([, regression]) => isSample(regression)))(
    'should find nothing by this plan in the fixed variant of %s',
    async (_name, regression) => {
      expect(await simulateCase(regression, regression.fixed, smallest(regression))).toHaveNoFindings();
    },
  );
});

describe.runIf(PLANS > 0)('The regression cases in the long form', { timeout: 3_600_000 }, () => {
  it.each(named)('should find by exhaustive plans %s', async (_name, regression) => {
    const report = await simulateCase(regression, regression.bug, { limit: PLANS, stopAfter: 1 });
    const finding = report.findings.find(isOf(regression));
    expect(finding, String(report)).toBeDefined();
    expect(finding!.plan.faults.map(({ kind }) => kind)).toEqual(regression.faults.map(({ kind }) => kind));
    expect(operationsOf(finding!)).toBeLessThanOrEqual(5);
  });

  it.each(named)('should find by random plans %s', async (_name, regression) => {
    const report = await simulateCase(regression, regression.bug, {
      plans: { random: PLANS, seed: 1 },
      limit: PLANS,
      stopAfter: 1,
    });
    const [finding] = report.findings;
    expect(finding, String(report)).toBeDefined();
  });

  it.each(named)('should find nothing in the fixed variant of %s', async (_name, regression) => {
    const exhaustive = await simulateCase(regression, regression.fixed, { limit: PLANS });
    const random = Math.max(1, PLANS - exhaustive.plans);
    const drawn = await simulateCase(regression, regression.fixed, { plans: { random, seed: 1 }, limit: PLANS });
    expect(exhaustive).toHaveNoFindings();
    expect(drawn).toHaveNoFindings();
  });
});
