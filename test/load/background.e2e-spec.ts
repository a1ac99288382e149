import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { bundleProgram, type Bundle } from '../support/programs/bundle.js';
import type { BackgroundFigures } from './background.program.js';
import { byForm } from '../support/runner/test.form.js';

const OBJECTS = byForm({ short: 3000, long: 10_000 });

describe(`daemons and timers of ${OBJECTS} objects`, () => {
  let bundle: Bundle;
  let figures: Map<string, BackgroundFigures>;

  beforeAll(async () => {
    bundle = await bundleProgram(`${import.meta.dirname}/background.program.ts`);
    const run = promisify(execFile);
    const { stdout } = await run(process.execPath, ['--expose-gc', bundle.path, String(OBJECTS)], { timeout: 240_000 });
    const lines = stdout.trim().split('\n');
    const all = lines.map((line) => JSON.parse(line) as BackgroundFigures);
    figures = new Map(all.map((one) => [one.kind, one]));
  }, 300_000);

  afterAll(() => bundle?.remove());

  const of = (kind: string): BackgroundFigures => figures.get(kind)!;

  it.each([
    ['Daemons', OBJECTS],
    ['Timers', 2 * OBJECTS],
  ])('should all be started within seconds: %s', (kind, count) => {
    expect(of(kind).handlers).toBe(count);
    expect(of(kind).startSeconds).toBeLessThan(30);
  });

  it.each(['Daemons', 'Timers'])('should take hardly any CPU when nothing happens: %s', (kind) => {
    expect(of(kind).idleCpu).toBeLessThan(0.05);
  });

  it('should take little memory', () => {
    const bytes = (kind: string): number =>
      ((of(kind).heapMegabytes - of('Events').heapMegabytes) * 1e6) / of(kind).handlers;
    expect(bytes('Daemons')).toBeLessThan(9000);
    expect(bytes('Timers')).toBeLessThan(2000);
  });

  it.each(['Daemons', 'Timers'])('should all be stopped within the limits, and leave nothing behind: %s', (kind) => {
    expect(of(kind).stopSeconds).toBeLessThan(5);
    expect(of(kind).leftResources).toBeLessThanOrEqual(0);
  });

  it('should give the heap back', () => {
    // The daemons came first, so that it is with them that the API server got to hold the finalizers and its history.
    expect(of('Timers').leftMegabytes).toBeLessThan(3);
  });
});
