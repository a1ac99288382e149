import { defineConfig } from 'vitest/config';

/** The tests of the console's page in Chromium, which must be installed. */
export default defineConfig({
  resolve: { conditions: ['nestjs-kopf-source'] },
  ssr: { resolve: { conditions: ['nestjs-kopf-source'], externalConditions: ['nestjs-kopf-source'] } },
  test: {
    globals: true,
    globalSetup: ['test/browser/support/build.setup.ts'],
    setupFiles: ['test/setup.ts'],
    hookTimeout: 60_000,
    testTimeout: 60_000,
    include: ['test/browser/**/*.browser-spec.ts'],
    // A browser is as much as one core can do.
    maxWorkers: 1,
  },
});
