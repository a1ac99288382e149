// Measures the reference operator in a process of its own, with embedded-kube in another one:
// npm run bench -- [sizes [OBJECTS,OBJECTS,…] [--json FILE] [--svg FILE]]
// Processor time counts rather than time on the clock, so that what else runs on the machine changes little.
import { execFileSync } from 'node:child_process';
import { join, resolve } from 'node:path';
import { runProgram } from '../run-program.mjs';

const root = resolve(import.meta.dirname, '../../..');
execFileSync(process.execPath, [join(root, 'test/tools/build.mjs'), 'bench'], {
  stdio: ['ignore', 'ignore', 'inherit'],
});
process.env.BENCH_OPERATOR ??= join(root, 'dist/apps/bench/main.js');
process.env.BENCH_REPORTER ??= join(import.meta.dirname, 'figures.reporter.mjs');
await runProgram('handling', 'sizes');
