import { simulate, type SimulationPlans } from 'nestjs-kopf-simulation';
import { median, processorTime, report } from '../kube/measuring.js';
import { claimModule, claimOptions } from './claim.world.js';

const [plans = '1000', measured = 'time'] = process.argv.slice(2);
const TOTAL = Number(plans);
/**
 * The numbers of runs after which the memory is measured, if it is asked for. It takes a collection of all garbage between two runs, when
 * nothing of an operator is alive: V8 throws away hundreds of functions then that it has optimized, so the time is not what it would be.
 */
const SAMPLES = [100, 500, 1_000, 2_000, 5_000, 10_000, 20_000];

const started = performance.now() - processorTime();
report('Start of the program', processorTime(), 'ms');
await measure('exhaustive');
await measure({ random: TOTAL, seed: 1 });

/** Runs plans in one process, and prints what they take. */
async function measure(kind: SimulationPlans): Promise<void> {
  const name = kind === 'exhaustive' ? kind : 'random';
  const before = processorTime();
  const times: number[] = [];
  // Nothing else runs in the process between two runs. Reading the processor time would take one percent of a run.
  let last = performance.now();
  const found = await simulate(claimModule, {
    ...claimOptions,
    plans: kind,
    limit: TOTAL,
    stopAfter: Infinity,
    workload: (kube) => {
      const now = performance.now();
      times.push(now - last);
      last = now;
      const runs = times.length;
      if (measured === 'memory' && SAMPLES.includes(runs))
        report(`Heap at run ${runs} (${name})`, heapMegabytes(), 'MB');
      return claimOptions.workload(kube);
    },
  });
  const time = processorTime() - before;
  const runs = times.length;
  report(`Plans (${name})`, found.plans, '');
  report(`Runs, with those without faults and those of findings (${name})`, runs, '');
  report(`Findings (${name})`, found.findings.length, '');
  report(`Processor time of a run (${name})`, time / runs, 'ms');
  report(`Time of a run, median (${name})`, median(times), 'ms');
  report(`Runs in a second of processor time (${name})`, (1000 * runs) / time, '');
  report(`Processor time of all (${name})`, time / 1000, 's');
  for (const { check, message, plan } of found.findings) console.log(`${check}: ${message} ${JSON.stringify(plan)}`);
}

/** The memory of objects, after everything that is not used any more has been collected. */
function heapMegabytes(): number {
  (globalThis as { gc?: () => void }).gc?.();
  return process.memoryUsage().heapUsed / 1e6;
}

report('Time of the program, as the clock has it', performance.now() - started, 'ms');
