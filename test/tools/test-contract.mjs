// Runs the contract's vectors and traces as tests: `npm run test:contract [-- --vectors FILE] [-- --traces FILE]`.
import { spawnSync } from 'node:child_process';
import { createRequire } from 'node:module';
import { dirname, join, resolve } from 'node:path';
import { parseArgs } from 'node:util';

const { values } = parseArgs({ options: { vectors: { type: 'string' }, traces: { type: 'string' } } });
const env = {
  ...process.env,
  ...(values.vectors && { KOPF_VECTORS: resolve(values.vectors) }),
  ...(values.traces && { KOPF_TRACES: resolve(values.traces) }),
};
const vitest = join(dirname(createRequire(import.meta.url).resolve('vitest/package.json')), 'vitest.mjs');
const { status } = spawnSync(process.execPath, [vitest, 'run', 'test/contract'], { stdio: 'inherit', env });
process.exit(status ?? 1);
