import type { SimulationFinding, SimulationOptions } from 'nestjs-kopf/simulation';
import { kopfMatchers } from 'nestjs-kopf/testing';
import { byForm } from '../../support/test.form.js';
import { operationsOf } from './detection.js';
import { type Exhibit, visit } from './exhibit.js';
import { EXHIBITS } from './museum.js';

expect.extend(kopfMatchers);

/** The number of plans of each kind that are run in the long form of the tests, unless `MUSEUM_PLANS` says otherwise. */
const PLANS = Number(process.env.MUSEUM_PLANS ?? byForm({ short: 0, long: 100 }));

const named = EXHIBITS.map((exhibit) => [exhibit.name, exhibit] as const);

function isOf({ check }: Exhibit): (finding: SimulationFinding) => boolean {
  return (finding) => finding.check === check;
}

/** Selects the first two exhibits of each pattern. */
function isSample(exhibit: Exhibit): boolean {
  return EXHIBITS.filter(({ pattern }) => pattern === exhibit.pattern).indexOf(exhibit) < 2;
}

/** Runs the plan of an exhibit alone, without making it smaller and without another run of it. */
function smallest({ faults, states, options }: Exhibit): Partial<SimulationOptions> {
  const { oracles, changes } = options;
  return {
    plans: [{ seed: 1, faults, states }],
    ...(changes && { changes: { ...changes, runs: 0 } }),
    shrinking: 0,
    oracles: { ...oracles, deterministic: false },
  };
}

describe('The museum of bugs', { timeout: 300_000 }, () => {
  it.each(named)('should find by its smallest plan %s', async (_name, exhibit) => {
    const report = await visit(exhibit, exhibit.bug, smallest(exhibit));
    expect(report.findings.some(isOf(exhibit)), String(report)).toBe(true);
  });

  // All twins are run in the long form, by far more plans.
  it.each(named.filter(([, exhibit]) => isSample(exhibit)))(
    'should find nothing by this plan in the mended twin of %s',
    async (_name, exhibit) => {
      expect(await visit(exhibit, exhibit.mended, smallest(exhibit))).toHaveNoFindings();
    },
  );
});

describe.runIf(PLANS > 0)('The museum of bugs in its long form', { timeout: 3_600_000 }, () => {
  it.each(named)('should find by exhaustive plans %s', async (_name, exhibit) => {
    const report = await visit(exhibit, exhibit.bug, { limit: PLANS, stopAfter: 1 });
    const finding = report.findings.find(isOf(exhibit));
    expect(finding, String(report)).toBeDefined();
    expect(finding!.plan.faults.map(({ kind }) => kind)).toEqual(exhibit.faults.map(({ kind }) => kind));
    expect(operationsOf(finding!)).toBeLessThanOrEqual(5);
  });

  it.each(named)('should find by random plans %s', async (_name, exhibit) => {
    const report = await visit(exhibit, exhibit.bug, { plans: { random: PLANS, seed: 1 }, limit: PLANS, stopAfter: 1 });
    const [finding] = report.findings;
    expect(finding, String(report)).toBeDefined();
  });

  it.each(named)('should find nothing in the mended twin of %s', async (_name, exhibit) => {
    const exhaustive = await visit(exhibit, exhibit.mended, { limit: PLANS });
    const random = Math.max(1, PLANS - exhaustive.plans);
    const drawn = await visit(exhibit, exhibit.mended, { plans: { random, seed: 1 }, limit: PLANS });
    expect(exhaustive).toHaveNoFindings();
    expect(drawn).toHaveNoFindings();
  });
});
