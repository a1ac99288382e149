import { readFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import config from '../../../vitest.config.js';
import { LongFirstSequencer } from './long-first.sequencer.js';
import { concernsProcess, findSpecs, listProcessWideSpecs } from './process-wide.specs.js';

const ROOT = join(import.meta.dirname, '../../..');

describe('the processes of the tests', () => {
  const alone = listProcessWideSpecs(ROOT);

  it.each([
    ['process.memoryUsage().heapUsed'],
    ['process.getActiveResourcesInfo().length'],
    ["import { usedHeap } from '../support/measurement/garbage.js';"],
    ["process.on('unhandledRejection', note);"],
    ["subscribe('undici:request:error', note);"],
    ['process.chdir(folder);'],
    ["process.env.HOME = '/nowhere';"],
    ["vi.spyOn(process.stdout, 'write')"],
    ['Logger.overrideLogger(levels);'],
    ['const recorder: LoggerService = { log, error, warn };'],
  ])('should be of their own for files with %s', (text) => {
    expect(concernsProcess(text)).toBe(true);
  });

  it.each([
    ['const seed = Number(process.env.SEED ?? 1);'],
    ['await vi.waitFor(check);'],
    ["child.on('exit', done);"],
    ["vi.stubEnv('KUBECONFIG', '');"],
    ["process.on('warning', note); onTestFinished(() => void process.off('warning', note));"],
    ["const spy = vi.spyOn(process.stdout, 'write'); onTestFinished(() => spy.mockRestore());"],
  ])('should be shared by files with %s', (text) => {
    expect(concernsProcess(text)).toBe(false);
  });

  it('should give back the environment that they have changed, as others share it', () => {
    const files = ['libs', 'apps', 'test'].flatMap((folder) => findSpecs(ROOT, folder));
    const changing = files.filter((file) => /^ +vi\.stubEnv\(/m.test(readFileSync(join(ROOT, file), 'utf8')));
    expect(changing.length).toBeGreaterThan(5);
    const keeping = changing.filter((file) => !/unstubAllEnvs\(/.test(readFileSync(join(ROOT, file), 'utf8')));
    expect(keeping).toEqual([]);
  });

  it('should be found by what the files say, wherever they are', () => {
    const wanted = [
      'libs/kopf/src/client/http/large.bodies.spec.ts',
      'test/e2e/operator/reload.e2e-spec.ts',
      'test/load/soak.e2e-spec.ts',
    ];
    expect(alone).toEqual(expect.arrayContaining(wanted));
    expect(alone).not.toContain('test/e2e/handling/handlers.e2e-spec.ts');
    expect(alone.filter((file) => /\/(dist|node_modules|cluster)\//.test(file))).toEqual([]);
  });

  it('should be one more than there are cores, and leave no file out, and none be run twice', () => {
    const { maxWorkers, projects } = (config as { test: { maxWorkers: number; projects: any[] } }).test;
    expect(maxWorkers).toBe(availableParallelism() + 1);
    const [first, second] = projects.map(({ test }) => test);
    expect(first).toMatchObject({ isolate: true, include: alone });
    expect(second).toMatchObject({ isolate: false, exclude: expect.arrayContaining(alone) });
  });

  it('should begin with the files that take longest, whatever else is known of them', async () => {
    const files = ['libs/a.spec.ts', 'test/packages/packages.spec.ts', 'test/e2e/b.e2e-spec.ts'];
    const project = { name: 'shared', config: { root: ROOT, sequence: { groupOrder: 0 } } };
    const specifications = files.map((file) => ({ moduleId: join(ROOT, file), project }));
    const ctx = {
      config: { root: ROOT },
      cache: { getFileStats: () => undefined, getFileTestResults: () => undefined },
    };
    const sequencer = new LongFirstSequencer(ctx as any);
    const sorted = await sequencer.sort(specifications as any);
    expect(sorted.map(({ moduleId }) => moduleId)).toEqual(
      [files[1], files[0], files[2]].map((file) => join(ROOT, file)),
    );
  });
});
