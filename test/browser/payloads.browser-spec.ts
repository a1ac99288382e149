import type { Page } from 'playwright-core';
import { BrowserHarness } from './support/browser.harness.js';
import { createAnswers, createDetails, createObjects } from './support/mock.answers.js';
import { MockConsole } from './support/mock.console.js';

/** Texts that would do something if they were markup: each would set a mark, or ask another host. */
const MARKUP = [
  `<script>globalThis.hacked = 1</script>`,
  `<img src=x onerror="globalThis.hacked = 1">`,
  `"><svg onload=globalThis.hacked=1>`,
  `<iframe srcdoc="<script>parent.hacked=1</script>"></iframe>`,
  `<a href="https://evil.example/">click</a><base href="https://evil.example/">`,
  `<style>@import 'https://evil.example/x.css';</style>`,
  `<meta http-equiv="refresh" content="0;url=https://evil.example/">`,
  `</title></textarea></template><script>globalThis.hacked=1</script>`,
  `{{constructor.constructor('globalThis.hacked=1')()}} \${globalThis.hacked=1}`,
];

/** The same, and texts that would do something by what they begin with: as attributes, as addresses, as paths. */
const PAYLOADS = [
  ['markup', MARKUP.join(' ')],
  ['an attribute', `' onmouseover='globalThis.hacked=1' autofocus onfocus='globalThis.hacked=1`],
  ['an address with code', `javascript:globalThis.hacked=1`],
  ['an address with markup', `data:text/html,<script>globalThis.hacked=1</script>`],
  ['another host', `//evil.example/\\evil.example`],
  ['another path', `../../../../etc/passwd?x=1#y`],
  ['characters that change others', `\u202Egpj.exe\u0000\u2028alert(1)%00%2e%2e%2f`],
] as const;

/** Members whose values are names that the page knows, as in `state: 'running'`, and no texts of somebody else. */
const KNOWN = new Set([
  'state',
  'phase',
  'type',
  'framework',
  'operation',
  'owner',
  'relation',
  'actions',
  'outcome',
  'mode',
]);

/** Puts a text in the place of each text of an answer, also of names of members. */
function poison(value: unknown, text: string, key = ''): unknown {
  if (KNOWN.has(key)) return value;
  if (typeof value === 'string') return text;
  if (Array.isArray(value)) return value.map((each) => poison(each, text, key));
  if (typeof value !== 'object' || value === null) return value;
  const isObject = key === 'body' || key === 'spec' || key === 'labels';
  const entries = Object.entries(value).map(([name, each]) => [
    isObject ? `${name}${text}` : name,
    poison(each, text, name),
  ]);
  return Object.fromEntries(entries);
}

/** Elements and attributes that no screen has by itself. */
const FOREIGN = `main script, main iframe, main img, main object, main embed, main base, main meta, main style, main [onerror],
  main [onload], main [onfocus], main [onmouseover]`;

/** Links that lead elsewhere, or do something else than to lead somewhere. */
const FOREIGN_LINKS = '[...document.links].filter((link) => link.origin !== location.origin).map((link) => link.href)';

/** Goes to a screen without loading the page again, as links do. */
async function goTo(page: Page, url: string): Promise<void> {
  await page.evaluate(
    `history.pushState(null, '', ${JSON.stringify(url)}); dispatchEvent(new PopStateEvent('popstate'))`,
  );
  // The next frame but one shows nothing of the earlier screen any more.
  await page.evaluate('new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))');
  await page.locator('h1').waitFor();
}

describe('texts of objects', () => {
  let browser: BrowserHarness;
  let mock: MockConsole;

  beforeAll(async () => {
    [browser, mock] = await Promise.all([BrowserHarness.start(), MockConsole.start()]);
  });

  afterAll(async () => {
    await browser.close();
    await mock.close();
  });

  it.each(PAYLOADS)('should be text, and nothing else: %s', async (_, payload) => {
    const [object] = createObjects(1, mock.now);
    const answers = createAnswers(mock.now, [object, object, object, object]);
    for (const [path, answer] of Object.entries(answers)) mock.overrides.set(path, poison(answer, payload));
    mock.overrides.set('objects', { total: 1, offset: 0, items: [poison(object, payload)] });
    mock.overrides.set('objects/a/b/c', poison(createDetails(object, mock.now), payload));
    const page = await browser.open(mock.url);
    const screens = ['', 'objects', 'handlers', 'watches', 'coordination', 'webhooks', 'memory', 'permissions'];
    const details = ['objects/a/b/c', 'objects/a/b/c?tab=handlers', 'objects/a/b/c?tab=object'];
    const query = new URLSearchParams({ search: payload, namespace: payload, handler: payload, resource: payload });
    for (const screen of [
      ...screens,
      ...details,
      `objects?${query}`,
      `handlers?handler=${encodeURIComponent(payload)}`,
    ]) {
      await goTo(page, mock.url + screen);
      await page.locator('main [data-row], main .panel, main .json, main .table').first().waitFor();
      await page.locator('main details').evaluateAll((all: any[]) => all.forEach((each) => (each.open = true)));
      expect(await page.locator(FOREIGN).count(), screen).toBe(0);
      expect(await page.evaluate(FOREIGN_LINKS), screen).toEqual([]);
      expect(await page.evaluate('globalThis.hacked'), screen).toBeUndefined();
      expect(new URL(page.url()).pathname, screen).toBe(new URL(mock.url + screen).pathname);
    }
    await goTo(page, `${mock.url}objects/a/b/c`);
    // What cannot be seen, browsers draw as they like.
    const visible = payload.replace(/[\u0000\u202E\u2028]/g, '');
    const text: string = await page.locator('main').evaluate((main: any) => main.textContent);
    expect(text.replace(/[\u0000\u202E\uFFFD\u2028]/g, '')).toContain(visible);
    await page.context().close();
    expect(browser.takeProblems()).toEqual([]);
  });
});
