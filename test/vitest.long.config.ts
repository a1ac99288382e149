import { availableParallelism } from 'node:os';
import { defineConfig } from 'vitest/config';
import { BASE, BASE_TESTS } from './support/runner/vitest.base.js';

/** Tests with a short form, which is part of `npm test`, in their long form. */
export default defineConfig({
  ...BASE,
  test: {
    ...BASE_TESTS,
    env: { TEST_FORM: 'long' },
    maxWorkers: availableParallelism(),
    hookTimeout: 300_000,
    testTimeout: 300_000,
    include: [
      'test/load/**/*.e2e-spec.ts',
      'test/simulation/regressions/**/*.e2e-spec.ts',
      'test/packages/{consumers,packages}.spec.ts',
      'test/schedules/**/*.e2e-spec.ts',
      'test/simulation/repairs.e2e-spec.ts',
      'test/e2e/client/credentials.e2e-spec.ts',
      'test/e2e/watching/torture*.e2e-spec.ts',
    ],
  },
});
