import 'reflect-metadata';
import { spawnSync } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { mkdirSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { writePlans } from 'nestjs-kopf-simulation';
import { sharesOf, type PlanShare } from './targets/plan.shares.js';
import { runTarget } from './targets/simulation.target.js';
import { findTarget } from './targets/targets.js';

/** The most plans of one process: each run leaves something in the memory, as the compiled modules of Nest do. */
const PROCESS_LIMIT = 300;
const MEMORY_LIMIT = '--max-old-space-size=1024';

const { values } = parseArgs({
  options: {
    plans: { type: 'string', default: '1000' },
    seed: { type: 'string' },
    target: { type: 'string', multiple: true },
    findings: { type: 'string' },
    share: { type: 'string', multiple: true },
  },
});

/** Runs random plans of one target, prints what was found, and one line in JSON with the figures. */
async function runShare({ name, plans: count, seed }: PlanShare): Promise<number> {
  const target = findTarget(name);
  const before = process.cpuUsage();
  const report = await runTarget(target, { plans: { random: count, seed }, limit: count, seed });
  const { findings, plans } = report;
  if (findings.length > 0) console.log(`${name}: ${String(report)}`);
  if (findings.length > 0 && values.findings) writePlans(`${values.findings}/${name}-${seed}.json`, findings);
  const { user, system } = process.cpuUsage(before);
  const cpuSeconds = Math.round((user + system) / 10_000) / 100;
  console.log(JSON.stringify({ target: name, seed, plans, findings: findings.length, cpuSeconds }));
  return findings.length;
}

/** Runs shares in a process of their own. @returns whether nothing was found */
function runProcess(shares: readonly PlanShare[]): boolean {
  const given = shares.flatMap((share) => ['--share', JSON.stringify(share)]);
  const findings = values.findings === undefined ? [] : ['--findings', values.findings];
  const program = process.argv[1];
  return spawnSync(process.execPath, [MEMORY_LIMIT, program, ...given, ...findings], { stdio: 'inherit' }).status === 0;
}

if (values.share) {
  let found = 0;
  for (const share of values.share) found += await runShare(JSON.parse(share) as PlanShare);
  // Nothing that an application under simulation has left open keeps the process.
  process.exit(found > 0 ? 1 : 0);
}

const seed = values.seed === undefined ? randomInt(2 ** 31) : Number(values.seed);
if (values.findings) mkdirSync(values.findings, { recursive: true });
console.log(`Seed ${seed}: ${values.plans} plans.`);
let isClean = true;
let batch: PlanShare[] = [];
for (const share of sharesOf(Number(values.plans), seed, values.target)) {
  batch.push(share);
  if (batch.reduce((sum, { plans }) => sum + plans, 0) < PROCESS_LIMIT) continue;
  isClean = runProcess(batch) && isClean;
  batch = [];
}
if (batch.length > 0) isClean = runProcess(batch) && isClean;
process.exitCode = isClean ? 0 : 1;
