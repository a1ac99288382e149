// One load program for embedded-kube and for a real kube-apiserver: the server's processor time for each request, over HTTPS, as a user with
// RBAC, with managed fields, validation and CEL rules. KUBEBUILDER_ASSETS names the folder of the real server's binaries.
import { type Side, startEmbedded, startReal } from './compare.sides.js';
import { createRows, prepare, type Row } from './compare.rows.js';

/** The first round warms both servers up. */
const ROUNDS = 3;

const count = Number(process.argv[2] ?? 2000);
const sides = [await startEmbedded(), await startReal()];
try {
  for (const side of sides) await prepare(side);
  const figures = new Map<string, number[][]>();
  for (let round = 0; round < ROUNDS; round += 1) {
    for (const row of createRows(count, round)) {
      for (const [index, side] of sides.entries()) {
        const times = await measure(row, side);
        if (round === 0) continue;
        const known = figures.get(row.name) ?? sides.map(() => [] as number[]);
        figures.set(row.name, known);
        // The least of several runs, as others use the machine as well.
        known[index] = times.map((time, part) => Math.min(time, known[index]![part] ?? Infinity));
      }
    }
  }
  print(figures);
} finally {
  for (const side of sides) await side.stop();
}

/** The processor time of each of a server's processes, in microseconds per request. */
async function measure({ run, parts }: Row, side: Side): Promise<number[]> {
  const before = side.processorTimes();
  await run(side);
  await side.settle();
  return side.processorTimes().map((time, index) => ((time - before[index]!) * 1000) / parts);
}

function print(figures: ReadonlyMap<string, readonly (readonly number[])[]>): void {
  const cell = (value: string): string => value.padStart(16);
  const head = ['embedded-kube', 'kube-apiserver', 'with etcd', 'times faster', 'with etcd'];
  process.stdout.write(`${'processor time per request, in µs'.padEnd(44)}${head.map(cell).join('')}\n`);
  for (const [name, [embedded, real]] of figures) {
    const [mine, api, all] = [embedded![0]!, real![0]!, real![0]! + real![1]!];
    const cells = [mine.toFixed(0), api.toFixed(0), all.toFixed(0), (api / mine).toFixed(1), (all / mine).toFixed(1)];
    process.stdout.write(`${name.padEnd(44)}${cells.map(cell).join('')}\n`);
  }
}
