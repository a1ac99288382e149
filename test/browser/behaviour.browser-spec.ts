import type { Page } from 'playwright-core';
import { BrowserHarness } from './support/browser.harness.js';
import { createAnswers } from './support/mock.answers.js';
import { MockConsole } from './support/mock.console.js';

const OBJECT = 'objects/shops.example.com/team-c/shop-000002';

let browser: BrowserHarness;
let mock: MockConsole;

beforeAll(async () => {
  browser = await BrowserHarness.start();
});

afterAll(() => browser.close());

interface OpenOptions {
  /** The number of objects. */
  readonly count?: number;
  readonly isBuffering?: boolean;
  /** Has the timers of the page wait for the test. */
  readonly hasFakeTimers?: boolean;
}

/** Opens a screen of a new server. */
async function open(path: string, options: OpenOptions = {}): Promise<Page> {
  const { count = 240, isBuffering = false, hasFakeTimers = false } = options;
  mock = await MockConsole.start({ count });
  mock.isBuffering = isBuffering;
  onTestFinished(() => mock.close());
  const page = await browser.open(hasFakeTimers ? 'about:blank' : mock.url + path, {}, mock.url);
  if (hasFakeTimers) {
    await page.clock.install();
    await page.goto(mock.url + path);
  }
  onTestFinished(() => page.context().close());
  return page;
}

afterEach(() => expect(browser.takeProblems()).toEqual([]));

describe('the list of objects', () => {
  it('should hold only the rows that can be seen, of 100,000', async () => {
    const page = await open('objects', { count: 100_000 });
    await page.getByText('100,000 objects', { exact: true }).waitFor();
    const list = page.getByRole('region', { name: 'Objects' });
    await list.evaluate((element: any) => element.scrollTo(0, 36 * 54_321));
    await page.getByRole('link', { name: 'shop-054321' }).waitFor();
    expect(await page.locator('.list-row').count()).toBeLessThan(60);
    expect(await page.locator('.list-table').getAttribute('aria-rowcount')).toBe('100001');
    await list.evaluate((element: any) => element.scrollTo(0, element.scrollHeight));
    await page.getByRole('link', { name: 'shop-099999' }).waitFor();
    const asked = mock.asked.filter((path) => path.startsWith('objects?'));
    expect(asked.length).toBeLessThan(15);
    expect(asked.every((path) => path.includes('limit=100'))).toBe(true);
  });

  it('should have rows of the height with which it counts', async () => {
    const page = await open('objects');
    await page.getByRole('link', { name: 'shop-000000' }).waitFor();
    const heights = await page
      .locator('.list-row')
      .evaluateAll((rows: any[]) => rows.map((row) => row.getBoundingClientRect().height));
    expect(new Set(heights as number[])).toEqual(new Set([36]));
  });

  it('should show an error whole that is cut off in its row', async () => {
    const page = await open('objects');
    const error = `connect ECONNREFUSED ${'10.1.2.3:5432, '.repeat(40)}at the end.`;
    mock.objects[0] = { ...mock.objects[0], phase: 'failing', error };
    mock.send({ type: 'changed', topics: ['objects'] });
    await page
      .getByRole('row', { name: /shop-000000/ })
      .getByRole('button')
      .click();
    const whole = page.getByRole('dialog', { name: 'Last error of shop-000000' });
    await whole.getByText('at the end.').waitFor();
    const text = whole.locator('.error-text');
    expect(await text.evaluate((element: any) => element.scrollHeight - element.clientHeight)).toBeLessThanOrEqual(1);
    expect(await browser.findBarriers(page)).toEqual([]);
    await page.keyboard.press('Escape');
    await whole.waitFor({ state: 'hidden' });
  });

  it('should let the server filter and sort, and keep both in the address', async () => {
    const page = await open('objects');
    await page.getByRole('link', { name: 'Retrying', exact: true }).click();
    await page.getByRole('button', { name: 'Attempts' }).click();
    await page.getByText('27 objects', { exact: true }).waitFor();
    await page.getByLabel('Search by name').fill('team-a');
    await expect.poll(() => page.url()).toBe(`${mock.url}objects?phase=failing&sort=-retries&search=team-a`);
    await expect.poll(() => mock.asked.at(-1)).toContain('search=team-a');
    await page.getByRole('button', { name: 'Clear' }).click();
    await expect.poll(() => page.url()).toBe(`${mock.url}objects?sort=-retries`);
    await expect.poll(() => page.getByLabel('Search by name').inputValue()).toBe('');
  });

  it('should show in its fields what the address says when one goes back, also while one types', async () => {
    const page = await open('objects');
    const field = page.getByLabel('Search by name');
    await page.getByRole('link', { name: 'Retrying', exact: true }).click();
    await field.pressSequentially('team-a ');
    await expect.poll(() => page.url()).toBe(`${mock.url}objects?phase=failing&search=team-a`);
    expect(await field.inputValue()).toBe('team-a ');
    await page.goBack();
    await expect.poll(() => field.inputValue()).toBe('');
    expect(page.url()).toBe(`${mock.url}objects`);
    await page.goForward();
    await expect.poll(() => field.inputValue()).toBe('team-a');
  });

  it('should say how many objects a filter leaves, and not each time that one comes', async () => {
    const page = await open('objects?phase=failing');
    const status = page.getByRole('main').getByRole('status');
    await expect.poll(() => status.textContent()).toBe('27 objects found');
    mock.objects.push({ ...mock.objects[0], name: 'another', phase: 'failing' });
    mock.send({ type: 'changed', topics: ['objects'] });
    await page.getByText('28 objects').waitFor();
    expect(await status.textContent()).toBe('27 objects found');
    await page.getByLabel('Search by name').fill('another');
    await expect.poll(() => status.textContent()).toBe('1 object found');
  });

  it('should show what has changed as soon as the stream tells of it', async () => {
    const page = await open('objects');
    const row = page.getByRole('row', { name: /shop-000000/ });
    await row.getByText('Idle').waitFor();
    mock.objects[0] = { ...mock.objects[0], phase: 'failed' };
    mock.send({ type: 'changed', topics: ['memory'] });
    mock.send({ type: 'changed', topics: ['objects'] });
    await row.getByText('Failed').waitFor();
    expect(mock.asked.filter((path) => path.startsWith('memory'))).toEqual([]);
  });
});

describe('an operator that watches nothing', () => {
  async function openIdle(path: string, handlers?: readonly object[]): Promise<Page> {
    const page = await open('');
    const overview: any = await page.evaluate(`fetch('api/overview').then((answer) => answer.json())`);
    mock.overrides.set('overview', { ...overview, state: 'running', resources: [] });
    const now: any = await page.evaluate(`fetch('api/now').then((answer) => answer.json())`);
    mock.overrides.set('now', { ...now, totals: { inWork: 0, waiting: 0, failing: 0 } });
    mock.overrides.set('watches', []);
    if (handlers) mock.overrides.set('handlers', handlers);
    mock.objects = [];
    await page.goto(mock.url + path);
    return page;
  }

  it.each(['', 'objects', 'watches'])('should say which resources the cluster does not have: %s', async (path) => {
    const page = await openIdle(path);
    await page.getByText('The cluster does not have the resources of the handlers').waitFor();
    await page.getByText(/Handlers are for .*shops\.example\.com/).waitFor();
    expect(await browser.findBarriers(page)).toEqual([]);
  });

  it('should say that there are no handlers', async () => {
    const page = await openIdle('', []);
    await page.getByText('The operator has no handlers for objects').waitFor();
  });
});

describe('the screen of an object', () => {
  it('should add to the history what the log tells of the object, and of no other', async () => {
    const page = await open(OBJECT);
    const history = page.getByRole('list', { name: 'History of the object, newest first' });
    await history.getByText('create is called, attempt 3').waitFor();
    const object = { kind: 'Shop', namespace: 'team-c', name: 'shop-000002' };
    const event = { time: 119, type: 'call', actor: { kind: 'operator', name: 'operator' } } as const;
    const call = { id: 'create', reason: 'create', attempt: 4 };
    mock.send({
      type: 'log',
      beganAt: mock.now - 120_000,
      events: [
        { ...event, number: 11, text: 'create is called, attempt 4', object, call },
        { ...event, number: 12, text: 'another is called', object: { ...object, name: 'shop-000003' } },
      ],
    });
    await history.getByText('create is called, attempt 4').waitFor();
    await page.getByText('create, attempt 4 runs').waitFor({ state: 'attached' });
    expect(await history.getByText('another is called').count()).toBe(0);
    await history.getByText('is changed: spec.size').click();
    await history.getByRole('cell', { name: '3' }).waitFor();
  });

  it('should say times in sentences as everywhere', async () => {
    const page = await open(OBJECT);
    const sentence = page.getByText(
      /^The next attempt of the handler create is due in \d+ s \(\d\d:\d\d:\d\d\), after 3 attempts/,
    );
    await sentence.waitFor();
    expect(await sentence.locator('time').getAttribute('datetime')).toBe(new Date(mock.now + 40_000).toISOString());
  });

  it('should say below a sentence what would change it', async () => {
    const page = await open(OBJECT);
    await page.getByText('a change of the object does not make it earlier').waitFor();
  });

  it('should draw what belongs to the object', async () => {
    const page = await open(OBJECT);
    const diagram = page.getByRole('region', { name: 'Relatives' });
    await diagram.getByRole('region', { name: 'Owners' }).getByText('north').waitFor();
    const child = diagram.getByRole('region', { name: 'Children' });
    await child.getByText('Not ready').waitFor();
    const top = async (locator: typeof child): Promise<number> => (await locator.boundingBox())!.y;
    const self = diagram.getByText('Shop team-c/shop-000002');
    expect(await top(diagram.getByText('north'))).toBeLessThan(await top(self));
    expect(await top(self)).toBeLessThan(await top(child));
  });

  it('should show the logs of its pods, as text', async () => {
    const page = await open(OBJECT);
    await page.getByRole('button', { name: 'Logs' }).click();
    const dialog = page.getByRole('dialog', { name: 'Logs of its pods' });
    await dialog.getByText('line 59 of a log that is <b>not</b> markup').waitFor();
    await dialog.getByText('The operator may not read logs of pods.').waitFor();
    expect(await browser.findBarriers(page)).toEqual([]);
    expect(mock.posted.at(-1)).toMatchObject({ action: 'logs', request: { dryRun: true } });
  });

  it('should say what an action would do, and do it only when it is confirmed', async () => {
    const page = await open(OBJECT);
    await page.getByRole('button', { name: 'Postpone' }).click();
    const dialog = page.getByRole('dialog', { name: 'Postpone the next attempt' });
    await dialog.getByText('Would be done: create: postpone by ada@example.com.').waitFor();
    await dialog.getByLabel('Seconds from now on').fill('60');
    await dialog.getByLabel('Reason, for others').fill('maintenance');
    await expect.poll(() => mock.posted.at(-1)?.request.reason).toBe('maintenance');
    expect(await browser.findBarriers(page)).toEqual([]);
    expect(mock.posted.every(({ request }) => request.dryRun)).toBe(true);
    await dialog.getByRole('button', { name: 'Postpone' }).click();
    await dialog.getByText('Done: create: postpone by ada@example.com.').waitFor();
    const object = {
      resource: 'shops.example.com',
      kind: 'Shop',
      namespace: 'team-c',
      name: 'shop-000002',
      uid: 'uid-2',
    };
    const request = { operator: 'shop', object, handler: 'create', seconds: 60, reason: 'maintenance', dryRun: false };
    expect(mock.posted.filter((each) => !each.request.dryRun)).toEqual([{ action: 'postpone', request }]);
    await page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'detached' });
    await expect.poll(() => page.evaluate('document.activeElement.textContent')).toContain('Postpone');
  });

  it('should offer no action to somebody who may not ask for any', async () => {
    const page = await open('');
    const overview = await page.evaluate(`fetch('api/overview').then((answer) => answer.json())`);
    mock.overrides.set('overview', { ...(overview as object), actions: [], user: undefined });
    await page.goto(mock.url + OBJECT);
    await page.getByText('create is called, attempt 3').waitFor();
    expect(await page.getByRole('button', { name: /Retry now|Postpone|Mark as done|Memo/ }).count()).toBe(0);
  });
});

describe('the screen of the coordination', () => {
  it.each([
    ['Pause', 'Resume', false],
    ['Resume', 'Pause', true],
  ])(
    'should offer to %s, and not to %s, if the operator pauses, by hand: %s',
    async (offered, other, isPausedByHand) => {
      const page = await open('');
      const coordination = await page.evaluate(`fetch('api/coordination').then((answer) => answer.json())`);
      mock.overrides.set('coordination', { ...(coordination as object), paused: ['It pauses.'], isPausedByHand });
      await page.goto(`${mock.url}coordination`);
      await page.getByRole('button', { name: offered, exact: true }).waitFor();
      expect(await page.getByRole('button', { name: other, exact: true }).count()).toBe(0);
    },
  );
});

describe('the screen of the permissions', () => {
  it('should say what it means that nothing is known', async () => {
    const page = await open('permissions');
    await page.getByRole('cell', { name: 'no known handler or feature' }).waitFor();
    await page.getByText(/^No known handler or feature: the operator has used the permission/).waitFor();
    await page.getByText(/^Unknown: the API server did not list all rules/).waitFor();
  });
});

describe('the keyboard', () => {
  it('should lead to screens, rows, and the search', async () => {
    const page = await open('');
    await page.getByRole('heading', { name: 'Retrying' }).waitFor();
    await page.keyboard.press('g');
    await page.keyboard.press('w');
    await page.getByRole('heading', { name: 'Watches' }).waitFor();
    await expect.poll(() => page.evaluate('document.activeElement.textContent')).toBe('Watches');
    await page.keyboard.press('/');
    await expect.poll(() => page.evaluate('document.activeElement.getAttribute("aria-label")')).toBe('Search by name');
    await page.keyboard.type('gw/000011');
    await page.getByText('No object is like this').waitFor();
    await page.keyboard.press('Control+A');
    await page.keyboard.type('000011');
    await page.getByText('1 object', { exact: true }).waitFor();
    await page.keyboard.press('Escape');
    await page.keyboard.press('j');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'shop-000011' }).waitFor();
  });

  it('should list its shortcuts, and switch them off', async () => {
    const page = await open('watches');
    await page.getByText('secrets is forbidden').waitFor();
    await page.keyboard.press('?');
    const dialog = page.getByRole('dialog', { name: 'Keyboard shortcuts' });
    expect(await browser.findBarriers(page)).toEqual([]);
    await dialog.getByLabel('Single keys are shortcuts').uncheck();
    await page.keyboard.press('Escape');
    await page.keyboard.press('g');
    await page.keyboard.press('o');
    await page.reload();
    await page.keyboard.press('?');
    await page.getByText('secrets is forbidden').waitFor();
    expect(await page.getByRole('dialog').count()).toBe(0);
    expect(page.url()).toBe(`${mock.url}watches`);
  });
});

describe('the connection', () => {
  it('should be told of when it is lost, and go on by itself with what has changed meanwhile', async () => {
    const page = await open('objects');
    await page.getByText('Live', { exact: true }).waitFor();
    browser.expected.push(/ERR_/);
    const port = Number(new URL(mock.url).port);
    await mock.close();
    await page.getByRole('alert').getByText('The operator cannot be reached').waitFor();
    await page.getByRole('link', { name: 'shop-000000' }).waitFor();
    mock = await MockConsole.start({ port });
    const server = mock;
    onTestFinished(() => server.close());
    mock.objects[0] = { ...mock.objects[0], phase: 'stuck' };
    await page
      .getByRole('row', { name: /shop-000000/ })
      .getByText('Stuck')
      .waitFor({ timeout: 20_000 });
    expect(await page.getByRole('alert').count()).toBe(0);
    await page.context().close();
  });

  it('should be begun again if nothing is heard of it any more, though nobody has closed it', async () => {
    const page = await open('objects', { hasFakeTimers: true });
    await page.getByText('Live', { exact: true }).waitFor();
    await page.clock.fastForward(30_000);
    mock.send({ type: 'alive' });
    mock.send({ type: 'changed', topics: ['objects'] });
    mock.objects[0] = { ...mock.objects[0], phase: 'failed' };
    await page
      .getByRole('row', { name: /shop-000000/ })
      .getByText('Failed')
      .waitFor();
    await page.clock.fastForward(30_000);
    expect(mock.begun).toBe(1);
    mock.objects[0] = { ...mock.objects[0], phase: 'stuck' };
    await page.clock.fastForward(11_000);
    // Another stream tells that it goes on, and what has changed meanwhile is asked for.
    await page
      .getByRole('row', { name: /shop-000000/ })
      .getByText('Stuck')
      .waitFor();
    await page.getByText('Live', { exact: true }).waitFor();
    expect(mock.begun).toBe(2);
  });

  it('should be made up for by asking again and again where a proxy keeps back the stream', async () => {
    const page = await open('objects', { hasFakeTimers: true, isBuffering: true });
    const row = page.getByRole('row', { name: /shop-000000/ });
    await row.getByText('Idle').waitFor();
    await page.getByText('Connecting').waitFor();
    await page.clock.fastForward(8000);
    await page.getByText('Every 5 s').waitFor();
    mock.objects[0] = { ...mock.objects[0], phase: 'failed' };
    await page.clock.fastForward(5000);
    await row.getByText('Failed').waitFor();
    expect(await page.getByRole('alert').count()).toBe(0);
  });

  it('should say that the operator has another version than the page', async () => {
    const page = await open('objects');
    await page.getByRole('link', { name: 'shop-000000' }).waitFor();
    const overview: any = await page.evaluate(`fetch('api/overview').then((answer) => answer.json())`);
    mock.overrides.set('overview', { ...overview, version: '9.9.9' });
    mock.send({ type: 'changed', topics: ['overview'] });
    await page.getByText('The operator runs nestjs-kopf 9.9.9 now').waitFor();
    await page.getByRole('button', { name: 'Reload the page' }).click();
    await page.getByText('nestjs-kopf 9.9.9').waitFor();
    await expect.poll(() => page.getByRole('button', { name: 'Reload the page' }).count()).toBe(0);
  });

  it('should be one stream, with the topics that the screen shows', async () => {
    const page = await open('watches');
    await page.getByText('Live', { exact: true }).waitFor();
    await expect.poll(() => mock.openTopics()).toEqual(['overview,watches']);
    await page.getByRole('link', { name: 'Memory' }).click();
    await expect.poll(() => mock.openTopics()).toEqual(['memory,overview']);
  });
});

describe('the event log', () => {
  const actor = { kind: 'operator', name: 'operator' } as const;
  const object = { kind: 'Shop', namespace: 'team-a', name: 'shop-000000' };
  const entry = (number: number, text: string) =>
    ({ number, time: number, type: 'call', actor, text, object }) as const;

  it('should begin with what has happened last, and go on with the stream, each entry once', async () => {
    const page = await open('log');
    const list = page.getByRole('list', { name: 'Event log' });
    const { beganAt, events } = createAnswers(mock.now, mock.objects).log;
    await list.getByText(events[0].text).first().waitFor();
    await expect.poll(() => mock.openTopics()).toEqual(['log,overview']);
    const last = events.at(-1)!;
    mock.send({ type: 'log', beganAt, events: [last, entry(last.number + 1, 'the next one')] });
    await list.getByText('the next one').waitFor();
    expect(await list.getByRole('listitem').count()).toBe(events.length + 1);
    expect(await list.getByRole('listitem').first().textContent()).toContain('the next one');
    // The operator was started anew: its log has begun again, and the stream says so.
    mock.overrides.set('log', { beganAt: mock.now, events: [entry(1, 'anew')] });
    mock.send({ type: 'log', beganAt: mock.now, events: [] });
    await list.getByText('anew').waitFor();
    expect(await list.getByRole('listitem').count()).toBe(1);
  });

  it('should be filtered by text, handler, object, and errors, as the address says, with routine calls folded', async () => {
    const page = await open('log');
    const call = (id: string, reason: string) => ({ id, reason, attempt: 1 });
    const error = 'connect ECONNREFUSED';
    const events = [
      { ...entry(1, 'tick is called'), call: call('tick', 'timer') },
      { ...entry(2, 'tick is called again'), call: call('tick', 'timer') },
      { ...entry(3, 'create is called'), call: call('create', 'create') },
      { ...entry(4, 'create will be retried'), call: { ...call('create', 'create'), outcome: 'retried', error } },
      { ...entry(5, 'The watch was interrupted'), object: { ...object, name: 'other' }, isError: true },
    ];
    mock.overrides.set('log', { beganAt: mock.now, events });
    await page.goto(`${mock.url}log?errors=true`);
    const list = page.getByRole('list', { name: 'Event log' });
    await list.getByText('create will be retried').waitFor();
    await page.getByText('2 events', { exact: true }).waitFor();
    await page.getByLabel('Search the log').fill('econn');
    await page.getByText('1 event', { exact: true }).waitFor();
    await expect.poll(() => page.url()).toBe(`${mock.url}log?errors=true&text=econn`);
    expect(await browser.findBarriers(page)).toEqual([]);
    await page.goto(`${mock.url}log?object=${encodeURIComponent('Shop team-a/shop-000000')}`);
    await page.getByText('4 events', { exact: true }).waitFor();
    await list.getByText('Routine: tick 2 times').waitFor();
    await page.getByLabel('Handler').selectOption('create');
    await page.getByText('2 events', { exact: true }).waitFor();
    await page.getByLabel('Handler').selectOption('tick');
    await page.getByLabel('Fold routine calls').uncheck();
    await list.getByText('tick is called again').waitFor();
    await page.getByLabel('Errors only').check();
    await page.getByText('No event is like this').waitFor();
  });

  it('should show what happens, and the log of a simulation from a file', async () => {
    const page = await open('log');
    await expect.poll(() => mock.openTopics()).toEqual(['log,overview']);
    mock.overrides.set('log', { beganAt: mock.now, events: [] });
    mock.send({ type: 'log', beganAt: mock.now, events: [] });
    await page.getByText('Nothing has happened yet').waitFor();
    mock.send({ type: 'log', beganAt: mock.now, events: [entry(1, 'create is called')] });
    await page.getByRole('link', { name: 'Shop team-a/shop-000000' }).waitFor();
    const timeline = [
      {
        number: 1,
        time: 0.25,
        type: 'fault',
        actor: { kind: 'fault', name: 'fault' },
        text: 'The API server does not answer',
      },
      {
        number: 2,
        time: 7,
        type: 'violation',
        actor,
        text: 'The state is not that of an operator without faults',
        object,
      },
    ];
    const report = { version: 1, findings: [{ check: 'convergence', message: 'ends in another state', timeline }] };
    const buffer = Buffer.from(JSON.stringify(report));
    await page.locator('input[type=file]').setInputFiles({ name: 'report.json', mimeType: 'application/json', buffer });
    await page.getByRole('heading', { name: 'convergence: ends in another state' }).waitFor();
    await page.getByText('7.000 s').waitFor();
    await page.getByLabel('Actor').selectOption('fault');
    await page.getByText('1 event', { exact: true }).waitFor();
    expect(await browser.findBarriers(page)).toEqual([]);
    const wrong = { name: 'wrong.json', mimeType: 'application/json', buffer: Buffer.from('{"findings":[]}') };
    await page.locator('input[type=file]').setInputFiles(wrong);
    await page.getByText('The report has no findings').waitFor();
  });
});
