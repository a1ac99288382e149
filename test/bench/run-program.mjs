// Bundles a program of a folder of this one, and runs it: the first argument names it, the others are its own.
import { execFileSync } from 'node:child_process';
import { join, resolve } from 'node:path';
import { bundleSources } from '../tools/bundle-sources.mjs';

const root = resolve(import.meta.dirname, '../..');

/** Runs the program that the command line names, in the version of Node.js that BENCH_NODE names. */
export async function runProgram(folder, standard) {
  const [program = standard, ...args] = process.argv.slice(2);
  // Beneath node_modules, so that the packages which stay outside of the program are found.
  const file = join(root, `node_modules/.cache/bench/${folder}-${program}.mjs`);
  await bundleSources(join(import.meta.dirname, folder, `${program}.program.ts`), file);
  const options = (process.env.BENCH_NODE_OPTIONS ?? '').split(' ').filter(Boolean);
  try {
    execFileSync(process.env.BENCH_NODE ?? process.execPath, ['--expose-gc', ...options, file, ...args], {
      stdio: 'inherit',
    });
  } catch (error) {
    if (error.status === undefined) throw error;
    process.exitCode = error.status;
  }
}
