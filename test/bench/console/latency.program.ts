import { setTimeout as pause } from 'node:timers/promises';
import { BrowserHarness } from '../../browser/support/browser.harness.js';
import { GalleryWorld } from '../../browser/support/gallery.world.js';

/** Milliseconds between two changes, which is no multiple of the intervals of the stream. */
const PAUSE = 1037;

/** Milliseconds between two changes of other objects. */
const BUSY_PAUSE = 50;

/** Gives the page a function that tells when the text of an element is there, and painted. */
const WATCH = `globalThis.shown = (selector, text) => new Promise((resolve) => {
  const look = () => {
    if (![...document.querySelectorAll(selector)].some((element) => element.textContent.includes(text))) return;
    observer.disconnect();
    requestAnimationFrame(() => resolve(Date.now()));
  };
  const observer = new MutationObserver(look);
  observer.observe(document.body, { childList: true, subtree: true, characterData: true });
  look();
});`;

const count = Number(process.argv[2] ?? 30);
const world = await GalleryWorld.start();
const browser = await BrowserHarness.start();
const page = await browser.open(`${world.url}objects?search=bench&sort=-name`);
await page.evaluate(WATCH);
await page.getByText('Live', { exact: true }).waitFor();
await measure('a new row of the list', 'bench', '.object-name', async (name) => void (await world.create(name)));
const busy = changeOthers();
await measure('the same, while 20 objects change in a second', 'z-bench', '.object-name', async (name) => {
  await world.create(name);
});
await busy.stop();
await world.create('watched');
await page.goto(`${world.url}objects/kopfexamples.kopf.dev/default/watched`);
await page.evaluate(WATCH);
await page.getByText('Live', { exact: true }).waitFor();
await page.getByText('count has succeeded').first().waitFor();
await measure(
  'a new entry of the history',
  'bench',
  '.differences td',
  async (value) => void (await world.patch('watched', { spec: { value } })),
);
await browser.close();
await world.close();
process.exit();

/** Changes other objects of the list all the time, until it is stopped. */
function changeOthers(): { stop(): Promise<void> } {
  let isOver = false;
  const changing = (async () => {
    for (let index = 0; !isOver; index++) {
      await world.patch(`bench-${String(index % count).padStart(4, '0')}`, {
        metadata: { labels: { at: `${index}` } },
      });
      await pause(BUSY_PAUSE);
    }
  })();
  return {
    stop: () => {
      isOver = true;
      return changing;
    },
  };
}

/** Measures from the response of the API server to the screen. */
async function measure(
  what: string,
  prefix: string,
  selector: string,
  change: (text: string) => Promise<void>,
): Promise<void> {
  const times: number[] = [];
  for (let each = 0; each < count; each++) {
    const text = `${prefix}-${String(each).padStart(4, '0')}`;
    // Changes that come thick and fast are told of together: here, each is to be one that nobody has expected.
    await pause(PAUSE);
    const shown = page.evaluate<number>(`shown(${JSON.stringify(selector)}, ${JSON.stringify(text)})`);
    await change(text);
    const began = Date.now();
    times.push(Math.max(0, (await shown) - began));
  }
  times.sort((a, b) => a - b);
  const at = (part: number) => times[Math.min(times.length - 1, Math.floor(part * times.length))];
  console.log(`${what}, ${count} times: median ${at(0.5)} ms, 95 % within ${at(0.95)} ms, at most ${at(1)} ms`);
}
