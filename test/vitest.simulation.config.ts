import { randomInt } from 'node:crypto';
import { availableParallelism } from 'node:os';
import { defineConfig } from 'vitest/config';
import { BASE, BASE_TESTS } from './support/runner/vitest.base.js';

/** Simulations of the applications of this project and of random operators, with plans that are drawn anew each time. */
export default defineConfig({
  ...BASE,
  test: {
    ...BASE_TESTS,
    // One seed for all files, which share its plans out.
    env: { SIMULATION_SEED: process.env.SIMULATION_SEED ?? String(randomInt(2 ** 31)) },
    maxWorkers: availableParallelism(),
    hookTimeout: 240_000,
    testTimeout: 600_000,
    include: ['test/simulation/**/*.plans-spec.ts'],
  },
});
