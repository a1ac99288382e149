// check.mjs: all checks of the workspace, two at a time, as each of them keeps no more than one core busy. Each one's output is printed when
// it has ended, with its time; those that come after one that has failed are run nevertheless, so that one run tells everything.
import { spawn } from 'node:child_process';
import { join } from 'node:path';

const ROOT = join(import.meta.dirname, '../..');

/** Scripts of the package.json, in two rows of about the same length. */
const ROWS = [
  ['check:types', 'check:format'],
  ['build', 'check:page', 'check:lint'],
];

const failed = [];
await Promise.all(ROWS.map((scripts) => runRow(scripts)));
if (failed.length > 0) console.log(`Failed: ${failed.join(', ')}`);
process.exitCode = failed.length > 0 ? 1 : 0;

async function runRow(scripts) {
  for (const script of scripts) {
    const began = performance.now();
    const { code, output } = await run(script);
    const seconds = ((performance.now() - began) / 1000).toFixed(0);
    process.stdout.write(`${output}${script}: ${code === 0 ? 'passed' : 'failed'} in ${seconds} s\n`);
    if (code !== 0) failed.push(script);
  }
}

/** Runs a script; gives its exit code, and what it has printed. */
function run(script) {
  const child = spawn('npm', ['run', '-s', script], { cwd: ROOT, stdio: ['ignore', 'pipe', 'pipe'] });
  const chunks = [];
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => chunks.push(chunk));
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code) => resolve({ code, output: Buffer.concat(chunks).toString() }));
  });
}
