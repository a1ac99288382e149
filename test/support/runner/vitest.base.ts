import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Plugin } from 'vitest/config';

const COMPILER_OPTIONS = readFileSync(join(import.meta.dirname, '../../../tsconfig.json'), 'utf8');

/** The plugin that drops cached modules when the options of the compiler change, as these decide how decorators are compiled. */
const CACHE_KEY: Plugin = {
  name: 'cache-key',
  configureVitest: ({ experimental_defineCacheKeyGenerator: define }) => define(() => COMPILER_OPTIONS),
};

/** The part of all configurations of Vitest by which the packages of this workspace are their sources, not what is built of them. */
export const BASE = {
  plugins: [CACHE_KEY],
  resolve: { conditions: ['nestjs-kopf-source'] },
  ssr: { resolve: { conditions: ['nestjs-kopf-source'], externalConditions: ['nestjs-kopf-source'] } },
};

/**
 * The options of tests that all configurations share. Compiled modules are kept in `node_modules/.experimental-vitest-cache`, by their
 * content, which is a third of the processor time of a few files of tests: `npx vitest --clearCache` removes them.
 */
export const BASE_TESTS = {
  globals: true,
  setupFiles: ['test/setup.ts'],
  experimental: { fsModuleCache: true },
};
