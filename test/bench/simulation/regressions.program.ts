// Measures within how many plans each bug of the museum is found, and how often its mended twin is blamed:
// npm run bench:simulation -- museum [--plans 1000] [--results FILE]
// Each visit is noted in the file of results as soon as it ends. Visits that are in there are not made again, so that the program can be
// ended at any time, and goes on where it was. It writes what is known so far to test/simulation/museum/detection.json.
import 'reflect-metadata';
import { spawnSync } from 'node:child_process';
import { parseArgs } from 'node:util';
import { summarize, writeDetection } from '../../simulation/museum/detection.js';
import { EXHIBITS } from '../../simulation/museum/museum.js';
import { planVisits } from '../../simulation/museum/visit.plans.js';
import { appendVisit, makeVisit, readVisits, type Visit } from '../../simulation/museum/visit.js';

/** The most plans of one process: each run leaves something in the memory, as the compiled modules of Nest do. */
const PROCESS_LIMIT = 1500;
const MEMORY = ['--max-old-space-size=1024', '--max-semi-space-size=64'];

const { values } = parseArgs({
  options: {
    plans: { type: 'string', default: '1000' },
    results: { type: 'string', default: 'node_modules/.cache/museum.jsonl' },
    visit: { type: 'string', multiple: true },
  },
});
const { results } = values;

/** Makes visits in a process of its own. */
function runProcess(visits: readonly Visit[]): void {
  const given = visits.flatMap((visit) => ['--visit', JSON.stringify(visit)]);
  const args = [...MEMORY, process.argv[1], '--results', results, ...given];
  const { status, signal } = spawnSync(process.execPath, args, { stdio: 'inherit' });
  if (status !== 0) throw new Error(`A process has ended by ${signal ?? `code ${status}`}.`);
}

/** Takes visits whose plans fit into one process. */
function firstOf(visits: readonly Visit[]): readonly Visit[] {
  let plans = 0;
  const end = visits.findIndex((visit, index) => (plans += expectedPlans(visit)) > PROCESS_LIMIT && index > 0);
  return end < 0 ? visits : visits.slice(0, end);
}

/** Estimates the plans of a visit: most bugs are found early, and most workloads have few exhaustive plans. */
function expectedPlans({ twin, plans, count }: Visit): number {
  return twin === 'bug' || plans === 'exhaustive' ? Math.min(count, 50) : count;
}

if (values.visit) {
  for (const text of values.visit) {
    const made = await makeVisit(JSON.parse(text) as Visit);
    appendVisit(results, made);
    console.log(JSON.stringify(made));
  }
  // Nothing that an application under simulation has left open keeps the process.
  process.exit();
}

const plans = Number(values.plans);
for (;;) {
  const made = readVisits(results);
  const left = planVisits(EXHIBITS, plans, made);
  writeDetection(summarize(EXHIBITS, made));
  if (left.length === 0) break;
  console.log(`${left.length} visits are left to make now.`);
  runProcess(firstOf(left));
}
