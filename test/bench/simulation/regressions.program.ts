// Measures within how many plans the bug of each regression case is found, and how many false alarms its fixed variant leads to:
// npm run bench:simulation -- regressions [--plans 1000] [--results FILE]
// The result of each trial is appended to the file of results as soon as it ends. Trials with a result are not run again, so the program can be
// stopped at any time, and continues where it was. It writes the figures so far to test/simulation/regressions/detection.json.
import 'reflect-metadata';
import { spawnSync } from 'node:child_process';
import { parseArgs } from 'node:util';
import { summarize, writeDetection } from '../../simulation/regressions/detection.js';
import { REGRESSION_CASES } from '../../simulation/regressions/regression.cases.js';
import { planTrials } from '../../simulation/regressions/trial.plans.js';
import {
  appendResult,
  runTrial,
  readResults,
  type DetectionTrial,
} from '../../simulation/regressions/detection.trial.js';

/** The most plans of one process: each run leaves something in the memory, as the compiled modules of Nest do. */
const PROCESS_LIMIT = 1500;
const MEMORY = ['--max-old-space-size=1024', '--max-semi-space-size=64'];

const { values } = parseArgs({
  options: {
    plans: { type: 'string', default: '1000' },
    results: { type: 'string', default: 'node_modules/.cache/regressions.jsonl' },
    trial: { type: 'string', multiple: true },
  },
});
const { results } = values;

/** Runs trials in another process. */
function runProcess(trials: readonly DetectionTrial[]): void {
  const given = trials.flatMap((trial) => ['--trial', JSON.stringify(trial)]);
  const args = [...MEMORY, process.argv[1], '--results', results, ...given];
  const { status, signal } = spawnSync(process.execPath, args, { stdio: 'inherit' });
  if (status !== 0) throw new Error(`A process has ended by ${signal ?? `code ${status}`}.`);
}

/** The first trials whose plans fit into one process. */
function firstOf(trials: readonly DetectionTrial[]): readonly DetectionTrial[] {
  let plans = 0;
  const end = trials.findIndex((trial, index) => (plans += expectedPlans(trial)) > PROCESS_LIMIT && index > 0);
  return end < 0 ? trials : trials.slice(0, end);
}

/** Estimates the plans of a trial: most bugs are found early, and most workloads have few exhaustive plans. */
function expectedPlans({ variant, plans, count }: DetectionTrial): number {
  return variant === 'bug' || plans === 'exhaustive' ? Math.min(count, 50) : count;
}

if (values.trial) {
  for (const text of values.trial) {
    const made = await runTrial(JSON.parse(text) as DetectionTrial);
    appendResult(results, made);
    console.log(JSON.stringify(made));
  }
  // Nothing that an application under simulation has left open keeps the process.
  process.exit();
}

const plans = Number(values.plans);
for (;;) {
  const made = readResults(results);
  const left = planTrials(REGRESSION_CASES, plans, made);
  writeDetection(summarize(REGRESSION_CASES, made));
  if (left.length === 0) break;
  console.log(`${left.length} trials are left to run.`);
  runProcess(firstOf(left));
}
