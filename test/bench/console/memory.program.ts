import { readFileSync } from 'node:fs';
import { BrowserHarness } from '../../browser/support/browser.harness.js';
import { MockConsole } from '../../browser/support/mock.console.js';

/** Places of the list that are looked at, one after another. */
const PLACES = 200;

const count = Number(process.argv[2] ?? 100_000);
const mock = await MockConsole.start({ count });
const browser = await BrowserHarness.start();
const page = await browser.open('about:blank');
const session = await page.context().newCDPSession(page);
await session.send('Performance.enable');
await report('an empty page');
await page.goto(`${mock.url}objects`);
await page.getByRole('link', { name: 'shop-000000' }).waitFor();
await report(`the list of ${count} objects`);
const list = page.getByRole('region', { name: 'Objects' });
const began = performance.now();
for (let place = 1; place <= PLACES; place++) {
  const row = Math.floor(((count - 1) * place) / PLACES);
  await list.evaluate((element: any, top) => element.scrollTo(0, top), row * 36);
  await page.getByRole('link', { name: `shop-${String(row).padStart(6, '0')}` }).waitFor();
}
console.log(
  `${PLACES} jumps through the list: ${((performance.now() - began) / PLACES).toFixed(0)} ms each, until the rows are there`,
);
await report('after them');
await browser.close();
await mock.close();

/** Prints what the page holds after a garbage collection, and the memory of its process that is its own. */
async function report(what: string): Promise<void> {
  await session.send('HeapProfiler.collectGarbage');
  const { metrics } = await session.send('Performance.getMetrics');
  const find = (name: string) => metrics.find((metric) => metric.name === name)?.value ?? 0;
  const heap = (find('JSHeapUsedSize') / 1e6).toFixed(1);
  console.log(
    `${what}: ${heap} MB of objects, ${find('Nodes')} nodes, ${(await readPrivateMemory()).toFixed(0)} MB of the process alone`,
  );
}

async function readPrivateMemory(): Promise<number> {
  const { processInfo } = await (
    await page.context().browser()!.newBrowserCDPSession()
  ).send('SystemInfo.getProcessInfo');
  const sizes = processInfo.filter(({ type }) => type === 'renderer').map(({ id }) => readPrivate(id));
  return Math.max(...sizes);
}

/** The memory that no other process has a part in, in megabytes. */
function readPrivate(id: number): number {
  const text = readFileSync(`/proc/${id}/smaps_rollup`, 'utf8');
  const kilobytes = [...text.matchAll(/^Private_(?:Clean|Dirty): +(\d+) kB/gm)].map(([, size]) => Number(size));
  return kilobytes.reduce((sum, size) => sum + size, 0) / 1000;
}
