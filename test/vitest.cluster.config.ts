import { defineConfig } from 'vitest/config';
import { BASE, BASE_TESTS } from './support/runner/vitest.base.js';

/** Files that measure time, or wait for quiet: nothing else is to have the cores meanwhile. */
const MEASURING = [
  'test/cluster/differential/differential.cluster-spec.ts',
  'test/conformance/replicas/replicas.cluster-spec.ts',
];

/** Files that take longest: they are to begin first, so that none of them runs last and alone. */
const LONG = [
  'test/packages/**/*.cluster-spec.ts',
  'test/cluster/{simulation,torture-brief,webhooks-load}.cluster-spec.ts',
  'test/conformance/{api,kubectl,kubernetes}/*.cluster-spec.ts',
  'test/docs/site.cluster-spec.ts',
];

/** Each file has a control plane of its own, and waits for it most of the time: more workers than cores have something to do. */
const TOGETHER = { maxWorkers: 4, sequence: { groupOrder: 0 } };

/** Minutes of broken connections: only on demand, by TORTURE=1. */
const ON_DEMAND = process.env.TORTURE ? [] : ['test/cluster/torture.cluster-spec.ts'];

/** The tests that need a real control plane, whose binaries are in the folder of KUBEBUILDER_ASSETS. */
export default defineConfig({
  ...BASE,
  test: {
    ...BASE_TESTS,
    hookTimeout: 240_000,
    testTimeout: 300_000,
    projects: [
      // Projects of one group run in the order of their names.
      { extends: true, test: { name: 'long', include: LONG, ...TOGETHER } },
      {
        extends: true,
        test: {
          name: 'others',
          include: ['test/**/*.cluster-spec.ts'],
          exclude: [...ON_DEMAND, ...MEASURING, ...LONG],
          ...TOGETHER,
        },
      },
      {
        extends: true,
        test: { name: 'alone', include: MEASURING, maxWorkers: 1, sequence: { groupOrder: 1 } },
      },
    ],
  },
});
