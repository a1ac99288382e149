import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { readDetection } from './detection.js';
import { REGRESSION_CASES } from './regression.cases.js';
import { listBugs, listDetection, listPatterns, readTable } from './regression.tables.js';

const GUIDES = join(import.meta.dirname, '../../../libs/kopf/docs');

/** The plans that each fixed variant was run with, of both kinds together. */
const PLANS = 1000;

function readGuide(name: string): string {
  return readFileSync(join(GUIDES, name), 'utf8');
}

describe('The list of regression cases', () => {
  it.each(['intermediate', 'stale', 'unobserved', 'undesired', 'error', 'outage'])(
    'should be at least five of the pattern %s that are written from public descriptions',
    (name) => {
      const described = REGRESSION_CASES.filter(({ pattern, seenIn }) => pattern === name && seenIn !== undefined);
      expect(described.length).toBeGreaterThanOrEqual(5);
    },
  );

  it.each(['undesired', 'error', 'outage'])('should have one of the class %s that is found by changes', (name) => {
    const changed = REGRESSION_CASES.filter(({ pattern, states }) => pattern === name && states !== undefined);
    expect(changed.length).toBeGreaterThanOrEqual(1);
  });

  it('should be found by at most three faults', () => {
    expect(REGRESSION_CASES.filter(({ faults }) => faults.length > 3)).toEqual([]);
  });

  it('should be those that the guides list', () => {
    expect(readTable(readFileSync(join(import.meta.dirname, 'README.md'), 'utf8'), '# Regression cases')).toEqual(
      listBugs(REGRESSION_CASES),
    );
    expect(readTable(readGuide('simulation.md'), '## Which bugs it finds')).toEqual(listPatterns(REGRESSION_CASES));
    expect(readGuide('simulation.md')).toContain(
      `\`test/simulation/regressions\` has ${REGRESSION_CASES.length} operators`,
    );
  });

  it('should have been found by few plans, which were made small, and not in the fixed variants', () => {
    const detection = readDetection();
    expect(detection.map(({ name }) => name)).toEqual(REGRESSION_CASES.map(({ name }) => name));
    for (const { name, exhaustive, random, fixedPlans, alarms } of detection) {
      for (const found of [exhaustive, random]) expect(found?.plans, name).toBeLessThanOrEqual(1000);
      expect(fixedPlans, name).toBeGreaterThanOrEqual(PLANS);
      expect(alarms, name).toBe(0);
    }
    const found = detection.flatMap(({ exhaustive, random }) => [exhaustive!, random!]);
    const small = found.filter(({ faults, operations }) => faults <= 3 && operations <= 5);
    expect(small.length).toBeGreaterThanOrEqual(0.9 * found.length);
  });

  it('should be found as soon as the guide says', () => {
    const table = readTable(readGuide('simulation.md'), '## How soon it finds them');
    expect(table).toEqual(listDetection(REGRESSION_CASES, readDetection()));
  });
});
