import { defineConfig } from 'vitest/config';

/** The tests that need a real control plane, whose binaries are in the folder of KUBEBUILDER_ASSETS. */
export default defineConfig({
  resolve: { conditions: ['nestjs-kopf-source'] },
  ssr: { resolve: { conditions: ['nestjs-kopf-source'], externalConditions: ['nestjs-kopf-source'] } },
  test: {
    globals: true,
    setupFiles: ['test/setup.ts'],
    include: ['test/**/*.cluster-spec.ts'],
    // Minutes of broken connections: only on demand, by TORTURE=1.
    exclude: process.env.TORTURE ? [] : ['test/cluster/torture.cluster-spec.ts'],
    fileParallelism: false,
    hookTimeout: 120_000,
    testTimeout: 300_000,
  },
});
