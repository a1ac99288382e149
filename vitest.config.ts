import { defineConfig } from 'vitest/config';

export default defineConfig({
  resolve: { conditions: ['nestjs-kopf-source'] },
  ssr: { resolve: { conditions: ['nestjs-kopf-source'], externalConditions: ['nestjs-kopf-source'] } },
  test: {
    globals: true,
    setupFiles: ['test/setup.ts'],
    include: ['libs/*/src/**/*.spec.ts', 'apps/*/{src,test}/**/*.{spec,e2e-spec}.ts', 'test/**/*.{spec,e2e-spec}.ts'],
    exclude: ['**/node_modules/**', '**/dist/**', 'test/cluster/**'],
    hookTimeout: 60_000,
    testTimeout: 60_000,
  },
});
