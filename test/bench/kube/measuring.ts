import { setTimeout as sleep } from 'node:timers/promises';

/** Prints one line of a table of figures. */
export function report(what: string, figure: number, unit: string): void {
  process.stdout.write(`${what.padEnd(64)} ${figure.toFixed(figure < 100 ? 1 : 0).padStart(9)} ${unit}\n`);
}

/**
 * The memory of the process in megabytes, after everything that is not used any more has been collected. V8 gives the 32 MB, in which
 * it collects what is new, back some seconds after much was allocated.
 */
export async function residentMegabytes(): Promise<number> {
  for (let round = 0; round < 7; round += 1) {
    (globalThis as { gc?: () => void }).gc?.();
    await sleep(1000);
  }
  return process.memoryUsage.rss() / 1e6;
}

/** The value in the middle of some, which those at the beginning, before V8 has compiled the code, do not change. */
export function median(values: readonly number[]): number {
  return values.toSorted((one, other) => one - other)[values.length >> 1]!;
}

/** The processor time of the process so far, in milliseconds. */
export function processorTime(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}

/** The figures of a piece of work. */
export interface Measured<T> {
  readonly result: T;
  /** Processor time in milliseconds. */
  readonly cpu: number;
  /** The longest processor time for which nothing else came to its turn, in milliseconds. */
  readonly blocked: number;
}

/** Does a piece of work, and measures its processor time and how long it kept others waiting. */
export async function measure<T>(work: () => Promise<T>): Promise<Measured<T>> {
  let blocked = 0;
  let last = performance.now();
  let lastCpu = processorTime();
  let running = true;
  const tick = (): void => {
    const now = performance.now();
    const cpu = processorTime();
    // Other processes may have had the processor meanwhile, and other threads may have worked beside.
    blocked = Math.max(blocked, Math.min(now - last, cpu - lastCpu));
    last = now;
    lastCpu = cpu;
    if (running) setImmediate(tick);
  };
  setImmediate(tick);
  await sleep(5);
  blocked = 0;
  const before = processorTime();
  const result = await work();
  const cpu = processorTime() - before;
  await sleep(5);
  running = false;
  return { result, cpu, blocked };
}
