import { availableParallelism } from 'node:os';
import { defineConfig } from 'vitest/config';
import { BASE, BASE_TESTS } from './test/support/runner/vitest.base.js';
import { LongFirstSequencer } from './test/support/runner/long-first.sequencer.js';
import { listProcessWideSpecs } from './test/support/runner/process-wide.specs.js';

const processWide = listProcessWideSpecs(import.meta.dirname);

export default defineConfig({
  ...BASE,
  test: {
    ...BASE_TESTS,
    hookTimeout: 60_000,
    testTimeout: 60_000,
    // One more than there are cores, as some tests wait for processes, or measure them when nothing happens: cores would be idle meanwhile.
    maxWorkers: availableParallelism() + 1,
    sequence: { sequencer: LongFirstSequencer },
    projects: [
      { extends: true, test: { name: 'alone', include: processWide, isolate: true } },
      {
        extends: true,
        test: {
          name: 'shared',
          include: [
            'libs/*/{src,page}/**/*.spec.ts',
            'apps/*/{src,test}/**/*.{spec,e2e-spec}.ts',
            'test/**/*.{spec,e2e-spec}.ts',
          ],
          exclude: ['**/node_modules/**', '**/dist/**', 'test/cluster/**', ...processWide],
          isolate: false,
        },
      },
    ],
  },
});
