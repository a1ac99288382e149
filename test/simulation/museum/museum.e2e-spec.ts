import { kopfMatchers } from 'nestjs-kopf/testing';
import { visit } from './exhibit.js';
import { INTERMEDIATE } from './intermediate.exhibits.js';
import { STALE } from './stale.exhibits.js';
import { UNOBSERVED } from './unobserved.exhibits.js';

expect.extend(kopfMatchers);

const EXHIBITS = [...INTERMEDIATE, ...STALE, ...UNOBSERVED].map((exhibit) => [exhibit.name, exhibit] as const);

describe('The museum of bugs', { timeout: 300_000 }, () => {
  it.each(EXHIBITS)('should find %s', async (_name, exhibit) => {
    const report = await visit(exhibit, exhibit.bug);
    const finding = report.findings.find(({ check }) => check === exhibit.check);
    expect(finding, String(report)).toBeDefined();
    expect(finding!.plan.faults.map(({ kind }) => kind)).toEqual(exhibit.faults);
    expect(finding!.operations).toBeLessThanOrEqual(5);
  });

  it.each(EXHIBITS)('should find nothing in the mended twin of %s', async (_name, exhibit) => {
    expect(await visit(exhibit, exhibit.mended)).toHaveNoFindings();
  });
});
