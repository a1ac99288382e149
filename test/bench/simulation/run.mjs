// Measures simulations of the tutorial's operator: npm run bench:simulation -- [plans [PLANS] | replays [REPLAYS]]
// Processor time counts rather than time on the clock, so that what else runs on the machine changes little.
import { execFileSync } from 'node:child_process';
import { join, resolve } from 'node:path';
import { bundleSources } from '../../tools/bundle-sources.mjs';

const root = resolve(import.meta.dirname, '../../..');
const [program = 'plans', ...args] = process.argv.slice(2);
// Beneath node_modules, so that the packages which stay outside of the program are found.
const file = join(root, `node_modules/.cache/bench/simulation-${program}.mjs`);
await bundleSources(join(import.meta.dirname, `${program}.program.ts`), file);
const options = (process.env.BENCH_NODE_OPTIONS ?? '').split(' ').filter(Boolean);
try {
  execFileSync(process.env.BENCH_NODE ?? process.execPath, ['--expose-gc', ...options, file, ...args], {
    stdio: 'inherit',
  });
} catch (error) {
  if (error.status === undefined) throw error;
  process.exitCode = error.status;
}
