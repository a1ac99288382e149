import { BrowserHarness } from './support/browser.harness.js';
import { MockConsole } from './support/mock.console.js';

const OBJECT = 'objects/shops.example.com/team-c/shop-000002';

/** All screens with the heading and a text of each. */
const SCREENS = [
  ['', 'Now', 'connect ECONNREFUSED 10.1.…:5432'],
  ['objects', 'Objects', 'shop-000002'],
  [OBJECT, 'shop-000002', 'create is called, attempt 3'],
  [`${OBJECT}?tab=handlers`, 'shop-000002', 'The filter labels wants tier to be platinum, and it is gold.'],
  [`${OBJECT}?tab=object`, 'shop-000002', 'apiVersion: example.com/v1'],
  ['handlers', 'Handlers', 'update/spec.size'],
  ['log', 'Event log', 'create is called, attempt 3'],
  ['watches', 'Watches', 'secrets is forbidden'],
  ['coordination', 'Coordination', 'ada@laptop/20261123/x1'],
  ['webhooks', 'Webhooks', 'shops.example.com'],
  ['memory', 'Memory', 'shopsByOwner'],
  ['permissions', 'Permissions', '1 permission is missing.'],
] as const;

const FORMS = [
  ['light', { colorScheme: 'light' }],
  ['dark', { colorScheme: 'dark' }],
  ['narrow', { viewport: { width: 320, height: 844 } }],
] as const;

/** The names of tables that are wider than their places. */
const SCROLLING_TABLES = `[...document.querySelectorAll('.table-scroll')]
  .filter(({ scrollWidth, clientWidth }) => scrollWidth > clientWidth)
  .map((table) => table.getAttribute('aria-label'))`;

describe('the screens', () => {
  let browser: BrowserHarness;
  let mock: MockConsole;

  beforeAll(async () => {
    [browser, mock] = await Promise.all([BrowserHarness.start(), MockConsole.start()]);
  });

  afterAll(async () => {
    await browser.close();
    await mock.close();
  });

  it.each(FORMS)('should be without barriers and errors: %s', async (name, options) => {
    const barriers: Record<string, unknown> = {};
    const page = await browser.open(mock.url, options);
    for (const [path, title, text] of SCREENS) {
      await page.goto(mock.url + path);
      expect(await page.locator('h1').innerText()).toContain(title);
      await page.locator('main').getByText(text).first().waitFor();
      const found = await browser.findBarriers(page);
      if (found.length > 0) barriers[path] = found;
      // Code scrolls by itself where it is wider than the screen.
      const excess = await page.evaluate('document.querySelector("main").scrollWidth - innerWidth');
      expect(excess, path).toBeLessThanOrEqual(0);
      if (name === 'narrow') expect(await page.evaluate(SCROLLING_TABLES), path).toEqual([]);
    }
    expect(barriers).toEqual({});
    expect(browser.takeProblems()).toEqual([]);
    await page.context().close();
  });

  it('should be found behind a prefix, by deep links, and by going back', async () => {
    const page = await browser.open(`${mock.url}objects?phase=failing&sort=-retries`);
    await page.getByRole('link', { name: 'shop-000074' }).click();
    await page.getByRole('heading', { name: 'shop-000074' }).waitFor();
    expect(page.url()).toBe(`${mock.url}objects/shops.example.com/team-c/shop-000074`);
    await page.reload();
    await page.getByRole('heading', { name: 'shop-000074' }).waitFor();
    await page.goBack();
    await page.getByRole('link', { name: 'Retrying' }).and(page.locator('[aria-current]')).waitFor();
    expect(page.url()).toBe(`${mock.url}objects?phase=failing&sort=-retries`);
    expect(browser.takeProblems()).toEqual([]);
    await page.context().close();
  });

  it('should tell that there is no such screen, and no such object', async () => {
    const page = await browser.open(`${mock.url}elsewhere`);
    await page.getByText('There is no such screen').waitFor();
    browser.expected.push(/404/);
    await page.goto(`${mock.url}objects/shops.example.com/team-c/nobody`);
    await page.getByText('There is no such thing').waitFor();
    expect(browser.takeProblems()).toEqual([]);
    await page.context().close();
  });
});
