import { DEFINITIONS_PATH, Harness, widget, WIDGETS, WIDGETS_PATH, type WatchReader } from '../harness.spec-support.js';
import type { EmbeddedKubeOptions } from '../embedded-kube.options.js';
import type { KubeFaults } from './kube.faults.js';

const RESOURCE = 'widgets.example.com';

let harness: Harness;
let faults: KubeFaults;

async function start(options?: EmbeddedKubeOptions): Promise<void> {
  harness = await Harness.start(options);
  faults = harness.kube.faults;
  await harness.post(DEFINITIONS_PATH, WIDGETS);
}

const names = async (): Promise<string[]> =>
  (await harness.get(WIDGETS_PATH)).body.items.map(({ metadata }: { metadata: { name: string } }) => metadata.name);

/** Returns the state of a promise after the given time. */
async function within(seconds: number, promise: Promise<unknown>): Promise<unknown> {
  let outcome: unknown = 'pending';
  promise.then(
    (value) => (outcome = value),
    (error: unknown) => (outcome = error),
  );
  await harness.clock.advance(seconds * 1000);
  return outcome;
}

const watchWidgets = (query = ''): Promise<WatchReader> => harness.watch(`${WIDGETS_PATH}?watch=1${query}`);

beforeEach(() => start());
afterEach(() => harness.kube.stop());

describe('faults of requests', () => {
  it.each([
    [401, 'Unauthorized'],
    [403, 'Forbidden'],
    [410, 'Expired'],
    [413, 'RequestEntityTooLarge'],
    [422, 'Invalid'],
    [429, 'TooManyRequests'],
    [500, 'InternalError'],
    [503, 'ServiceUnavailable'],
  ])('should be error responses with %i %s', async (status, reason) => {
    const fault = faults.reject(status, { verb: 'create', resource: RESOURCE });
    const refused = await harness.post(WIDGETS_PATH, widget('a'));
    expect(refused).toMatchObject({ status, body: { kind: 'Status', status: 'Failure', reason, code: status } });
    expect(await names()).toEqual([]);
    expect((await harness.post(WIDGETS_PATH, widget('a'))).status).toBe(201);
    expect(fault.hits).toBe(1);
  });

  it('should tell when to come again', async () => {
    faults.reject(429, { retryAfter: 7, message: 'slow down' });
    const { headers, body } = await harness.get(WIDGETS_PATH);
    expect(headers['retry-after']).toBe('7');
    expect(body).toMatchObject({ message: 'slow down', details: { retryAfterSeconds: 7 } });
  });

  it('should last for some seconds, however many requests there are', async () => {
    const fault = faults.reject(403, { verb: 'list', seconds: 60 });
    const statuses = [];
    for (const seconds of [30, 29, 1]) {
      statuses.push((await harness.get(WIDGETS_PATH)).status);
      await harness.clock.advance(seconds * 1000);
    }
    expect(statuses).toEqual([403, 403, 403]);
    expect((await harness.get(WIDGETS_PATH)).status).toBe(200);
    expect(fault.hits).toBe(3);
    faults.reject(403, { verb: 'list', seconds: 60, times: 1 });
    expect((await harness.get(WIDGETS_PATH)).status).toBe(403);
    expect((await harness.get(WIDGETS_PATH)).status).toBe(200);
  });

  it('should reject what changes a part of an object, and say which', async () => {
    const causes = [{ reason: 'FieldValueForbidden', message: 'Forbidden: kept', field: 'metadata.finalizers' }];
    await harness.post(WIDGETS_PATH, widget('a'));
    const patch = (metadata: object) =>
      harness.patch(`${WIDGETS_PATH}/a`, { metadata }, { 'content-type': 'application/merge-patch+json' });
    faults.reject(422, { verb: 'patch', body: /"finalizers"/, causes, times: Infinity });
    expect((await patch({ labels: { a: 'b' } })).status).toBe(200);
    expect(await patch({ finalizers: ['example.com/a'] })).toMatchObject({
      status: 422,
      body: { reason: 'Invalid', details: { causes } },
    });
  });

  it.each([
    ['a method', { method: 'get' }],
    ['a path', { path: `${WIDGETS_PATH}/a` }],
    ['a part of the path', { path: /example\.com/g }],
    ['one of several verbs', { verb: ['create', 'get'] }],
    ['a resource', { resource: RESOURCE }],
    ['a namespace', { namespace: 'default' }],
    ['a name', { name: 'a' }],
    ['an object itself', { subresource: '' }],
    ['a user agent', { userAgent: /^kopf/ }],
    ['anything else', { when: ({ query }: { query: URLSearchParams }) => query.get('pretty') === 'true' }],
  ])('should be met by %s', async (_name, match) => {
    await harness.post(WIDGETS_PATH, widget('a'));
    faults.reject(500, { ...match, times: 2 });
    const get = () => harness.get(`${WIDGETS_PATH}/a?pretty=true`, { 'user-agent': 'kopf/1' });
    expect([(await get()).status, (await get()).status, (await get()).status]).toEqual([500, 500, 200]);
  });

  it.each([
    { method: 'POST' },
    { path: WIDGETS_PATH },
    { verb: 'list' },
    { resource: 'widgets' },
    { namespace: 'other' },
    { name: 'b' },
    { subresource: 'status' },
    { userAgent: 'kopf' },
    { when: () => false },
  ])('should not be met by requests other than $0', async (match) => {
    await harness.post(WIDGETS_PATH, widget('a'));
    const fault = faults.reject(500, match);
    const { status } = await harness.get(`${WIDGETS_PATH}/a`, { 'user-agent': 'kopf/1' });
    expect([status, fault.hits]).toEqual([200, 0]);
  });

  it('should be met one at a time, in the order in which they were injected', async () => {
    faults.reject(500);
    const second = faults.reject(503, { times: Infinity });
    const statuses = [];
    for (let count = 0; count < 3; count += 1) statuses.push((await harness.get(WIDGETS_PATH)).status);
    second.cancel();
    statuses.push((await harness.get(WIDGETS_PATH)).status);
    expect(statuses).toEqual([500, 503, 503, 200]);
    expect(second.hits).toBe(2);
  });

  it('should be forgotten all at once', async () => {
    faults.reject(500, { times: Infinity });
    faults.damageLines('drop', { times: Infinity });
    faults.clear();
    expect((await harness.get(WIDGETS_PATH)).status).toBe(200);
  });

  it('should be delays', async () => {
    faults.delay(60, { verb: 'create' });
    const creation = harness.post(WIDGETS_PATH, widget('a'));
    expect(await within(59, creation)).toBe('pending');
    expect(await names()).toEqual([]);
    await harness.clock.advance(1000);
    expect((await creation).status).toBe(201);
  });

  it.each([
    ['before', []],
    ['after', ['a']],
    ['middle', ['a']],
  ] as const)('should be connections that break, here %s', async (phase, left) => {
    faults.cut(phase, { verb: 'create' });
    await expect(harness.post(WIDGETS_PATH, widget('a'))).rejects.toMatchObject({ code: 'ECONNRESET' });
    expect(await names()).toEqual(left);
  });

  it.each([
    ['before', []],
    ['after', ['a']],
    ['middle', ['a']],
  ] as const)('should be connections that fall silent, here %s, until the client leaves', async (phase, left) => {
    faults.stall(phase, { verb: 'create' });
    const controller = new AbortController();
    const { signal } = controller;
    const body = JSON.stringify(widget('a'));
    const headers = { 'content-type': 'application/json' };
    const creation = harness.transport
      .request({ method: 'POST', path: WIDGETS_PATH, headers, body, signal })
      .then((response) => response.text());
    expect(await within(3600, creation)).toBe('pending');
    controller.abort('enough');
    await expect(creation).rejects.toBe('enough');
    expect(await names()).toEqual(left);
  });

  it('should be whatever is done just before', async () => {
    const { body } = await harness.post(WIDGETS_PATH, widget('a'));
    faults.before(async () => void (await harness.patch(`${WIDGETS_PATH}/a`, { spec: { count: 3 } })), {
      verb: 'update',
    });
    expect((await harness.put(`${WIDGETS_PATH}/a`, body)).status).toBe(409);
  });

  it('should be a history that has expired, between two pages for example', async () => {
    for (const name of ['a', 'b']) await harness.post(WIDGETS_PATH, widget(name));
    faults.expireHistory({ verb: 'list', when: ({ query }) => query.has('continue') });
    const token: string = (await harness.get(`${WIDGETS_PATH}?limit=1`)).body.metadata.continue;
    await harness.post(WIDGETS_PATH, widget('c'));
    expect((await harness.get(`${WIDGETS_PATH}?limit=1&continue=${encodeURIComponent(token)}`)).status).toBe(410);
  });
});

describe('faults of watches', () => {
  const change = async (...changed: string[]): Promise<void> => {
    for (const name of changed) await harness.post(WIDGETS_PATH, widget(name));
    await harness.clock.settle();
  };

  it('should be lines that are lost and lines that are repeated', async () => {
    const watch = await watchWidgets();
    const dropped = faults.damageLines('drop', { resource: RESOURCE, name: 'a' });
    faults.damageLines('repeat', { type: 'ADDED', name: 'c' });
    await change('a', 'b', 'c', 'd');
    expect(await watch.summary(4)).toEqual(['ADDED b', 'ADDED c', 'ADDED c', 'ADDED d']);
    expect(dropped.hits).toBe(1);
  });

  it('should be lines that are no events', async () => {
    const watch = await watchWidgets();
    faults.damageLines('garble');
    await change('a');
    await expect(watch.next()).rejects.toThrow(SyntaxError);
  });

  it('should be connections that break in the middle of a line', async () => {
    const watch = await watchWidgets();
    faults.damageLines('cut', { name: 'b' });
    await change('a');
    expect(await watch.summary(1)).toEqual(['ADDED a']);
    await change('b');
    await expect(watch.next()).rejects.toMatchObject({ code: 'ECONNRESET' });
    expect(harness.kube.openWatches).toBe(0);
  });

  it('should begin with the watch, if they are injected for its request', async () => {
    await change('a');
    faults.cut('middle', { verb: 'watch' });
    const watch = await watchWidgets();
    await expect(watch.next()).rejects.toMatchObject({ code: 'ECONNRESET' });
  });

  it.each(['line', 'watch'])('should be connections that fall silent, with the %s', async (subject) => {
    const controller = new AbortController();
    const request = { method: 'GET', path: `${WIDGETS_PATH}?watch=1`, headers: {}, signal: controller.signal };
    const chunks = (await harness.transport.request(request)).chunks()[Symbol.asyncIterator]();
    if (subject === 'line') faults.damageLines('stall');
    else expect(faults.damageWatches('stall', { resource: RESOURCE })).toBe(1);
    await change('a');
    if (subject === 'line') expect(String((await chunks.next()).value)).toMatch(/^\{"type":"ADDED".*[^\n]$/);
    const next = chunks.next();
    expect(await within(600, next)).toBe('pending');
    expect(harness.kube.openWatches).toBe(1);
    controller.abort('enough');
    await expect(next).rejects.toBe('enough');
    expect(harness.kube.openWatches).toBe(0);
  });

  it('should be watches that end or break', async () => {
    const [ended, broken] = [await watchWidgets(), await harness.watch('/api/v1/pods?watch=1')];
    expect(faults.damageWatches('end', { resource: RESOURCE })).toBe(1);
    expect(faults.damageWatches('cut', { resource: 'pods' })).toBe(1);
    expect(await ended.next()).toBeUndefined();
    await expect(broken.next()).rejects.toMatchObject({ code: 'ECONNRESET' });
    expect(faults.damageWatches('cut')).toBe(0);
  });

  it('should be errors that the server reports', async () => {
    const watch = await watchWidgets();
    const next = watch.next();
    faults.damageWatches({ error: 500, message: 'etcdserver: no leader' });
    expect(await next).toMatchObject({ type: 'ERROR', object: { code: 500, message: 'etcdserver: no leader' } });
    expect(await watch.next()).toBeUndefined();
  });

  it('should not be met by other long answers', async () => {
    faults.damageLines('drop', { times: Infinity });
    expect((await harness.get(WIDGETS_PATH)).body.items).toEqual([]);
  });

  it('should be a history that has expired', async () => {
    const { resourceVersion } = harness.kube;
    await change('a');
    faults.expireHistory();
    const watch = await watchWidgets(`&resourceVersion=${resourceVersion}`);
    expect(await watch.next()).toMatchObject({ type: 'ERROR', object: { code: 410 } });
  });
});

describe('a server that is down', () => {
  it('should refuse connections, break those that are open, and keep what was written', async () => {
    await harness.post(WIDGETS_PATH, widget('a'));
    const watch = await watchWidgets();
    await watch.next();
    faults.delay(10, { verb: 'create' });
    const creation = harness.post(WIDGETS_PATH, widget('b'));
    creation.catch(() => undefined);
    await faults.goDown();
    expect(faults.isDown).toBe(true);
    await expect(watch.next()).rejects.toMatchObject({ code: 'ECONNRESET' });
    await expect(harness.get(WIDGETS_PATH)).rejects.toMatchObject({ code: 'ECONNREFUSED' });
    await harness.clock.advance(10_000);
    await expect(creation).rejects.toMatchObject({ code: 'ECONNRESET' });
    await faults.comeBack();
    expect(await names()).toEqual(['a']);
  });
});

describe('faults that nothing has met', () => {
  function inject(): void {
    faults.reject(429, { userAgent: /^my-operator/, retryAfter: 2 });
    faults.cut('after', { verb: 'create', times: 3 }).cancel();
    faults.damageLines('drop', { type: 'DELETED', name: 'a' });
    faults.delay(1, { resource: RESOURCE, name: 'a' });
  }

  const unmet = [
    'reject 429 for { userAgent: /^my-operator/ }',
    "cut 'after' for { verb: 'create' }",
    "damageLines 'drop' for { type: 'DELETED', name: 'a' }",
  ];

  it('should be described, also those that are over', async () => {
    inject();
    expect(faults.unmet).toEqual([...unmet, `delay 1 for { resource: '${RESOURCE}', name: 'a' }`]);
    await within(1, harness.get(`${WIDGETS_PATH}/a`));
    faults.clear();
    expect(faults.unmet).toEqual(unmet);
  });

  it('should be warned of when the server stops', async () => {
    inject();
    await within(1, harness.get(`${WIDGETS_PATH}/a`));
    const warnings: unknown[] = [];
    vi.spyOn(process, 'emitWarning').mockImplementation((text) => void warnings.push(text));
    await harness.kube.stop();
    vi.restoreAllMocks();
    expect(warnings).toEqual(unmet.map((fault) => `A fault was injected that nothing has met: ${fault}`));
  });
});

describe('what is left of faults', () => {
  it('should be nothing', async () => {
    const before = harness.clock.pending;
    const controller = new AbortController();
    faults.delay(1000, { verb: 'list' });
    faults.stall('middle', { verb: 'get' });
    const request = { method: 'GET', headers: {}, signal: controller.signal };
    const waiting = [WIDGETS_PATH, '/version'].map((path) =>
      harness.transport.request({ ...request, path }).then((response) => response.text()),
    );
    waiting.forEach((each) => each.catch(() => undefined));
    await harness.clock.settle();
    controller.abort(new Error('gone'));
    await Promise.allSettled(waiting);
    expect(harness.clock.pending).toBe(before);
  });
});
