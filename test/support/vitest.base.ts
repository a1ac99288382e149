/** The part of all configurations of Vitest by which the packages of this workspace are their sources, not what is built of them. */
export const BASE = {
  resolve: { conditions: ['nestjs-kopf-source'] },
  ssr: { resolve: { conditions: ['nestjs-kopf-source'], externalConditions: ['nestjs-kopf-source'] } },
};

/** The options of tests that all configurations share. */
export const BASE_TESTS = { globals: true, setupFiles: ['test/setup.ts'] };
