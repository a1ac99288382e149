import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { eventually } from '../support/time/eventually.js';
import { BrowserHarness } from './support/browser.harness.js';
import { GalleryWorld } from './support/gallery.world.js';
import { reduceColours } from './support/palette.image.js';

const IMAGES = join(import.meta.dirname, '../../libs/kopf/docs/images');
const OBJECTS = 'objects/kopfexamples.kopf.dev/default';

/** All screens with what shows on them of the gallery, and the names of their images in the guide. */
const SCREENS = [
  ['', 'spec.items is not iterable', 'now'],
  ['objects', 'leaving', 'objects'],
  [`${OBJECTS}/database`, 'make/hard-disk', 'object'],
  [`${OBJECTS}/web?tab=handlers`, 'FiltersOperator.byAnnotation', 'object-handlers'],
  [`${OBJECTS}/leaving`, 'the finalizer example.com/backup is still there', undefined],
  [`${OBJECTS}/web?tab=object`, 'host: web.example.com', undefined],
  ['handlers', 'byTransition/spec.state', undefined],
  ['watches', 'kopfexamples.kopf.dev', undefined],
  ['coordination', 'The operator works without coordination', undefined],
  ['webhooks', 'checkSize', undefined],
  ['memory', 'namesByHost', undefined],
  ['permissions', 'patch', undefined],
  ['log', 'The patch was stored', undefined],
] as const;

describe('the gallery in the console', () => {
  let browser: BrowserHarness;
  let world: GalleryWorld;
  let page: Page;

  beforeAll(async () => {
    [browser, world] = await Promise.all([BrowserHarness.start(), GalleryWorld.start()]);
    await world.create('web', {}, { labels: { team: 'shop' } });
    await world.create('second', { host: 'web.example.com' });
    await world.create('broken', { items: 5 });
    await world.create('leaving', {}, { finalizers: ['example.com/backup'] });
    await expect(world.create('refused', { size: 0 })).rejects.toThrow('The size must be positive');
    await eventually('the object is handled', async () => (await world.get('leaving'))?.status?.changes === 1);
    await world.delete('leaving');
    for (const name of ['cache', 'queue', 'database']) await world.create(name, { items: ['network', 'hard-disk'] });
    page = await browser.open(world.url, { viewport: { width: 1280, height: 800 } });
  });

  afterAll(async () => {
    await browser.close();
    await world.close();
  });

  afterEach(() => expect(browser.takeProblems()).toEqual([]));

  it('should show on every screen, without barriers', async () => {
    for (const [path, text, image] of SCREENS) {
      await page.goto(world.url + path);
      await page.locator('main').getByText(text).first().waitFor();
      expect(await browser.findBarriers(page), path).toEqual([]);
      if (image && process.env.UPDATE_SCREENSHOTS) await saveImage(image);
    }
  });

  /** Writes an image for the guide. */
  async function saveImage(name: string): Promise<void> {
    mkdirSync(IMAGES, { recursive: true });
    const screenshot = await page.screenshot({ animations: 'disabled' });
    writeFileSync(join(IMAGES, `console-${name}.png`), reduceColours(screenshot));
  }

  it('should show changes of an object while one looks', async () => {
    await world.create('fresh');
    await page.goto(`${world.url}${OBJECTS}/fresh`);
    const history = page.getByRole('list', { name: 'History of the object, newest first' });
    await history.getByText('count has succeeded').first().waitFor();
    await world.patch('fresh', { spec: { settings: { colour: 'blue' } } });
    await history.getByText('update/spec.settings has succeeded').waitFor();
    // The screen asks for the object once more when it is gone.
    browser.expected.push(/404/);
    await world.delete('fresh');
    await page.goto(`${world.url}objects`);
    await page.getByText('7 objects', { exact: true }).waitFor();
    await world.create('later');
    await page.getByRole('link', { name: 'later' }).waitFor();
    await page.getByText('8 objects', { exact: true }).waitFor();
  });

  /** Opens the dialog of an action, waits for what would be done, and confirms it. */
  async function act(
    button: string,
    prepare?: (dialog: ReturnType<Page['getByRole']>) => Promise<void>,
  ): Promise<void> {
    await page.getByRole('button', { name: button, exact: true }).click();
    const dialog = page.getByRole('dialog');
    await prepare?.(dialog);
    await dialog.locator('.notice.tone-neutral').waitFor();
    await dialog.getByRole('button', { name: button, exact: true }).click();
    await dialog.locator('.notice.tone-good').waitFor();
    await dialog.getByRole('button', { name: 'Close' }).first().click();
    await dialog.waitFor({ state: 'detached' });
  }

  function progressOf(name: string, handler: string): Promise<any> {
    return world.get(name).then((object) => {
      const text = object?.metadata.annotations?.[`kopf.zalando.org/${handler}`];
      return text && JSON.parse(text);
    });
  }

  it('should have a handler postponed, repeated, and marked as done', async () => {
    await page.goto(`${world.url}${OBJECTS}/broken`);
    const row = page.getByRole('table').getByRole('row', { name: /make/ });
    await row.getByText('Waiting').waitFor();
    const before = await progressOf('broken', 'make');
    await act('Postpone', (dialog) => dialog.getByLabel('Seconds from now on').fill('3600'));
    const postponed = await progressOf('broken', 'make');
    expect(Date.parse(postponed.delayed) - Date.parse(before.delayed)).toBeGreaterThan(3_000_000);
    await row.getByText('in 59 min').waitFor();
    await act('Retry now');
    await expect.poll(async () => (await progressOf('broken', 'make')).retries).toBe(before.retries + 1);
    await row.getByText('Waiting').waitFor();
    await act('Mark as done');
    await expect.poll(() => progressOf('broken', 'make')).toBeUndefined();
    await page.getByRole('main').getByText('Idle').waitFor();
    await page.getByText('ConsoleRetry').waitFor();
  });

  it('should have the finalizer released of an object whose deletion does not end', async () => {
    await world.create('held', {}, { labels: { holds: 'yes' } });
    await eventually('the object is handled', async () => (await world.get('held'))?.status?.changes === 1);
    await world.delete('held');
    await page.goto(`${world.url}${OBJECTS}/held`);
    await page.getByText('The backup is not there yet.').first().waitFor();
    // The screen asks for the object once more when it is gone.
    browser.expected.push(/404/);
    await act('Release', (dialog) => dialog.getByLabel('Reason, for others').fill('the backup was made by hand'));
    await expect.poll(() => world.get('held')).toBeUndefined();
    await page.goto(`${world.url}objects`);
    await page.getByRole('link', { name: 'web' }).first().waitFor();
    expect(await page.getByRole('link', { name: 'held' }).count()).toBe(0);
  });

  it('should show the children of an object that the operator has adopted', async () => {
    await page.goto(`${world.url}${OBJECTS}/web`);
    const relatives = page.getByRole('region', { name: 'Relatives' });
    await relatives.getByText('ConfigMap').waitFor();
    expect(await relatives.textContent()).toContain('default/web');
    // It is not watched, so that there is no screen of it.
    expect(await relatives.getByRole('link').count()).toBe(0);
  });

  it('should have the memo of an object shown', async () => {
    await page.goto(`${world.url}${OBJECTS}/web`);
    await page.getByRole('button', { name: 'Memo' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByText('changes').first().waitFor();
    await page.keyboard.press('Escape');
  });

  it('should have the operator paused and resumed', async () => {
    await page.goto(`${world.url}coordination`);
    await act('Pause', (dialog) => dialog.getByLabel('Reason, for others').fill('a look at the gallery'));
    await page.getByRole('banner').getByText('Paused', { exact: true }).waitFor();
    await page.getByRole('main').getByText('a look at the gallery').waitFor();
    await act('Resume');
    await page.getByRole('banner').getByText('Running', { exact: true }).waitFor();
  });
});

describe('the gallery behind a sign-in', () => {
  it('should be shown, live, to a browser that sends the name and the password', async () => {
    const signIn = { ada: 'a password' };
    const [browser, world] = await Promise.all([BrowserHarness.start(), GalleryWorld.start({ signIn })]);
    onTestFinished(async () => {
      await browser.close();
      await world.close();
    });
    browser.expected.push(/401/);
    const page = await browser.open(world.url, { httpCredentials: { username: 'ada', password: 'a password' } });
    await page.getByText('Live', { exact: true }).waitFor();
    await page.getByRole('banner').getByText('ada').waitFor();
    await world.create('broken', { items: 5 });
    await page.getByText('spec.items is not iterable').first().waitFor();
    expect(browser.takeProblems()).toEqual([]);
  });
});
