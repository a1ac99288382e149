import { defineConfig } from 'vitest/config';
import { BASE, BASE_TESTS } from './support/runner/vitest.base.js';

/** The tests of the console's page in Chromium, which must be installed. */
export default defineConfig({
  ...BASE,
  test: {
    ...BASE_TESTS,
    globalSetup: ['test/browser/support/build.setup.ts'],
    hookTimeout: 60_000,
    testTimeout: 60_000,
    include: ['test/browser/**/*.browser-spec.ts'],
    // A browser is as much as one core can do.
    maxWorkers: 1,
  },
});
