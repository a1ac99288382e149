import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { bundleProgram, type Bundle } from '../support/programs/bundle.js';
import type { IndexFigures } from './index.program.js';
import { byForm } from '../support/runner/test.form.js';

const PODS = byForm({ short: 8000, long: 50_000 });
const CHANGES = byForm({ short: 4000, long: 10_000 });
const SEED = 1;

describe(`indices of ${PODS} pods`, () => {
  let bundle: Bundle;
  let figures: IndexFigures;

  beforeAll(async () => {
    bundle = await bundleProgram(`${import.meta.dirname}/index.program.ts`);
    const args = ['--expose-gc', bundle.path, ...[PODS, CHANGES, SEED].map(String)];
    const { stdout } = await promisify(execFile)(process.execPath, args, { timeout: 280_000 });
    figures = JSON.parse(stdout) as IndexFigures;
  }, 300_000);

  afterAll(() => bundle?.remove());

  it('should be populated before any other handler is called', () => {
    expect(figures.seen).toEqual({ calls: PODS, fewest: PODS });
  });

  it(`should be as a full list after ${CHANGES} changes, whatever happens to the watch`, () => {
    expect(Object.keys(figures.faults).length).toBeGreaterThanOrEqual(8);
    expect(figures.lists).toBeGreaterThan(1);
    expect(figures.differences).toEqual([]);
  });

  it('should take little memory for an entry', () => {
    const { phaseByPod, podsByZone, webPods } = figures.bytesPerEntry;
    expect(phaseByPod).toBeLessThan(600);
    expect(podsByZone).toBeLessThan(250);
    expect(webPods).toBeLessThan(250);
  });

  it('should be given back when the operator has stopped', () => {
    expect(figures.leftKeys).toBe(0);
  });
});
