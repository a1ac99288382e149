// The processor time, the heap, and the longest turn of the event loop of the reference operator, for growing numbers of objects.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { EmbeddedKube } from 'embedded-kube';
import { ClaimsLoad } from './claims.load.js';
import { drawCosts } from './cost.chart.js';
import { fitLine } from './linear.fit.js';
import { OperatorProcess, type ProcessFigures } from './operator.process.js';

const { positionals, values } = parseArgs({
  args: process.argv.slice(2),
  allowPositionals: true,
  options: { json: { type: 'string' }, svg: { type: 'string' } },
});
const sizes = (positionals[0] ?? '1000,3000,10000').split(',').map(Number);

/** The phases of handling, as the columns of the table. */
const PHASES = ['cold', 'update', 'delete'] as const;

/** The figures of all phases with one number of objects. */
interface SizeFigures extends Readonly<Record<(typeof PHASES)[number], ProcessFigures>> {
  readonly objects: number;
  /** When all objects are handled, and garbage is collected. */
  readonly idle: ProcessFigures;
}

/** Runs the operator on its own server, on which the objects exist before it starts. */
async function withObjects<T>(
  objects: number,
  use: (load: ClaimsLoad, operator: OperatorProcess, cold: ProcessFigures) => Promise<T>,
): Promise<T> {
  const folder = mkdtempSync(join(tmpdir(), 'kopf-bench-'));
  const kube = await EmbeddedKube.start({});
  const kubeconfig = join(folder, 'kubeconfig.yaml');
  kube.writeKubeconfig(kubeconfig);
  const load = new ClaimsLoad(kube, objects);
  await load.prepare();
  await load.create();
  const operator = OperatorProcess.start(kubeconfig);
  try {
    await load.begun();
    // The longest turn of the start is that in which the modules are loaded.
    const begun = await operator.figures();
    await load.settled('1G');
    const cold = await operator.figures();
    return await use(load, operator, { ...cold, cpu: begun.cpu + cold.cpu });
  } finally {
    await operator.stop();
    await kube.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}

/** The figures of a start with a single object, and of what the operator keeps without many. */
async function measureStart(): Promise<{ readonly cold: ProcessFigures; readonly idle: ProcessFigures }> {
  return withObjects(1, async (_, operator, cold) => ({ cold, idle: await operator.idle() }));
}

async function measureSize(objects: number, startCpu: number): Promise<SizeFigures> {
  return withObjects(objects, async (load, operator, cold) => {
    const idle = await operator.idle();
    await load.resize('2G');
    await load.settled('2G');
    const update = await operator.figures();
    await load.delete();
    await load.settled();
    const deletion = await operator.figures();
    return { objects, cold: { ...cold, cpu: cold.cpu - startCpu }, update, delete: deletion, idle };
  });
}

const start = await measureStart();
const table: string[][] = [
  ['objects', ...PHASES.map((phase) => `${phase} µs each`), 'longest turn ms', 'peak heap MB', 'kept bytes each'],
];
const all: SizeFigures[] = [];
for (const objects of sizes) {
  const figures = await measureSize(objects, start.cold.cpu);
  all.push(figures);
  const phases = PHASES.map((phase) => figures[phase]);
  table.push([
    objects.toLocaleString('en'),
    ...phases.map(({ cpu }) => ((cpu * 1000) / objects).toFixed(0)),
    Math.max(...phases.map(({ longestTurn }) => longestTurn)).toFixed(1),
    (Math.max(...phases.map(({ peak }) => peak)) / 1e6).toFixed(0),
    ((figures.idle.heap - start.idle.heap) / objects).toFixed(0),
  ]);
}
const series = PHASES.map((name) => ({
  name,
  points: all.map((figures) => [figures.objects, figures[name].cpu] as const),
}));

const widths = table[0].map((_, column) => Math.max(...table.map((row) => row[column].length)));
process.stdout.write(
  `Node.js ${process.version}; start with one object: ${start.cold.cpu.toFixed(0)} ms of processor time\n\n`,
);
for (const row of table) process.stdout.write(`${row.map((cell, at) => cell.padStart(widths[at])).join('  ')}\n`);
process.stdout.write('\n');
for (const { name, points } of series) {
  const { slope, residual } = fitLine(points);
  const distance = `at most ${(residual * 100).toFixed(0)} % away from the line`;
  process.stdout.write(`${name.padEnd(6)} ${(slope * 1000).toFixed(0)} µs for each object, ${distance}\n`);
}
if (values.json)
  writeFileSync(values.json, `${JSON.stringify({ node: process.version, start, sizes: all }, null, 2)}\n`);
if (values.svg) writeFileSync(values.svg, drawCosts(series));
