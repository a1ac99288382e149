import { Harness, type WatchReader } from '../harness.spec-support.js';

const PATH = '/api/v1/namespaces/default/configmaps';
const MINE = { 'user-agent': 'behind/1.0' };
const SELECTED = `${PATH}?labelSelector=mine`;
const map = (name: string, a: string) => ({ metadata: { name, labels: { mine: '' } }, data: { a } });

let cluster: Harness;
/** The versions before anything was written, of the state that the member has, and of the newest state. */
let versions: { readonly first: string; readonly seen: string; readonly newest: string };
let open: WatchReader[];

const get = (path: string) => cluster.get(path, MINE);
const summaryOf = ({ body }: { body: { items: { metadata: { name: string }; data: { a: string } }[] } }): string =>
  body.items.map(({ metadata, data }) => `${metadata.name}=${data.a}`).join(' ');
const watch = async (query: string): Promise<WatchReader> => {
  const reader = await cluster.watch(`${SELECTED}&watch=1&${query}`, MINE);
  open.push(reader);
  return reader;
};
const tooLarge = (requested: string, current: string) => ({
  kind: 'Status',
  message: `Timeout: Too large resource version: ${requested}, current: ${current}`,
  reason: 'Timeout',
  details: {
    causes: [{ reason: 'ResourceVersionTooLarge', message: 'Too large resource version' }],
    retryAfterSeconds: 1,
  },
  code: 504,
});
/** Awaits an answer for which the member waits in vain. */
const patiently = async <Answer>(answer: Promise<Answer>): Promise<Answer> => {
  await cluster.clock.advance(2999);
  await cluster.clock.advance(1);
  return answer;
};
const write = async (): Promise<void> => {
  await cluster.patch(`${PATH}/a`, { data: { a: '2' } });
  await cluster.delete(`${PATH}/b`);
  await cluster.post(PATH, map('c', '2'));
};
const begin = async (): Promise<void> => {
  const { kube } = cluster;
  const first = kube.resourceVersion;
  await cluster.post(PATH, map('a', '1'));
  await cluster.post(PATH, map('b', '1'));
  versions = { first, seen: kube.resourceVersion, newest: '' };
};

beforeEach(async () => {
  open = [];
  cluster = await Harness.start();
  await begin();
});
afterEach(async () => {
  for (const reader of open) await reader.close();
  await cluster.kube.stop();
});

describe('a member that is behind', () => {
  beforeEach(async () => {
    cluster.kube.faults.lag({ userAgent: /^behind/ });
    await write();
    versions = { ...versions, newest: cluster.kube.resourceVersion };
  });

  it('should get objects of any age from its state, and others from the newest one', async () => {
    expect((await get(`${PATH}/a`)).body).toMatchObject({ data: { a: '2' } });
    expect((await get(`${PATH}/a?resourceVersion=0`)).body).toMatchObject({ data: { a: '1' } });
    expect((await get(`${PATH}/a?resourceVersion=${versions.seen}`)).body).toMatchObject({ data: { a: '1' } });
    expect((await get(`${PATH}/b?resourceVersion=0`)).status).toBe(200);
    expect((await get(`${PATH}/c?resourceVersion=0`)).status).toBe(404);
    expect(await patiently(get(`${PATH}/a?resourceVersion=${versions.newest}`))).toMatchObject({
      status: 504,
      headers: { 'retry-after': '1' },
      body: tooLarge(versions.newest, versions.seen),
    });
  });

  it.each([
    ['resourceVersion=0', 'a=1 b=1'],
    ['resourceVersion=0&limit=1', 'a=1 b=1'],
    ['resourceVersion=SEEN', 'a=1 b=1'],
    ['resourceVersion=SEEN&limit=1', 'a=1'],
    ['resourceVersion=SEEN&resourceVersionMatch=NotOlderThan', 'a=1 b=1'],
    ['resourceVersion=SEEN&resourceVersionMatch=Exact', 'a=1 b=1'],
  ])('should list what it has for %s', async (query, expected) => {
    const list = await get(`${SELECTED}&${query.replace('SEEN', versions.seen)}`);
    expect(summaryOf(list)).toBe(expected);
    expect((list.body as { metadata: object }).metadata).toMatchObject({ resourceVersion: versions.seen });
  });

  it.each(['', 'limit=500'])('should list the newest state for a consistent list, after a while: %s', async (query) => {
    const list = get(`${SELECTED}&${query}`);
    expect(summaryOf(await patiently(list))).toBe('a=2 c=2');
  });

  it.each(['', '&resourceVersionMatch=NotOlderThan', '&resourceVersionMatch=Exact', '&limit=1'])(
    'should refuse to list what it does not have: %s',
    async (query) => {
      const list = get(`${SELECTED}&resourceVersion=${versions.newest}${query}`);
      expect(await patiently(list)).toMatchObject({ status: 504, body: tooLarge(versions.newest, versions.seen) });
    },
  );

  it.each([
    '',
    'sendInitialEvents=true&resourceVersionMatch=NotOlderThan',
    'sendInitialEvents=true&resourceVersionMatch=NotOlderThan&resourceVersion=NEWEST',
  ])('should watch from a state that it gets in time, and then go on: %s', async (query) => {
    const opening = watch(query.replace('NEWEST', versions.newest));
    await cluster.clock.advance(1000);
    cluster.kube.faults.clear();
    const watched = await opening;
    await cluster.post(PATH, map('d', '3'));
    expect(await watched.summary(3)).toEqual(['ADDED a', 'ADDED c', 'ADDED d']);
  });

  it('should list what it gets in time', async () => {
    const list = get(`${SELECTED}&resourceVersion=${versions.newest}`);
    await cluster.clock.advance(1000);
    cluster.kube.faults.clear();
    expect(summaryOf(await list)).toBe('a=2 c=2');
  });

  it.each([
    ['resourceVersion=0', ['ADDED a', 'ADDED b']],
    ['resourceVersion=FIRST', ['ADDED a', 'ADDED b']],
    ['resourceVersion=SEEN', []],
    ['resourceVersion=NEWEST', []],
    ['resourceVersion=0&sendInitialEvents=true&resourceVersionMatch=NotOlderThan', ['ADDED a', 'ADDED b']],
    ['sendInitialEvents=false&resourceVersionMatch=NotOlderThan', []],
  ])('should watch from its state for %s, and then go on', async (query, initial) => {
    const { first, seen, newest } = versions;
    const watched = await watch(query.replace('FIRST', first).replace('SEEN', seen).replace('NEWEST', newest));
    expect(await watched.summary(initial.length)).toEqual(initial);
    await cluster.post(PATH, map('d', '3'));
    cluster.kube.faults.clear();
    const missed = query.includes('NEWEST') ? [] : ['MODIFIED a', 'DELETED b', 'ADDED c'];
    expect(await watched.summary(missed.length + 1)).toEqual([...missed, 'ADDED d']);
    await cluster.post(PATH, map('e', '3'));
    expect(await watched.summary(1)).toEqual(['ADDED e']);
  });

  it.each([
    '',
    'sendInitialEvents=true&resourceVersionMatch=NotOlderThan',
    'sendInitialEvents=true&resourceVersionMatch=NotOlderThan&resourceVersion=NEWEST',
  ])('should not begin a watch with a state that it does not have: %s', async (query) => {
    const watched = await patiently(watch(query.replace('NEWEST', versions.newest)));
    expect(await watched.next()).toMatchObject({ type: 'ERROR', object: tooLarge(versions.newest, versions.seen) });
    expect(await watched.next()).toBeUndefined();
  });

  it('should write to the newest state', async () => {
    const body = { ...map('a', '3'), metadata: { name: 'a', resourceVersion: versions.seen } };
    expect((await cluster.request('PUT', `${PATH}/a`, body, MINE)).status).toBe(409);
    expect((await cluster.request('POST', PATH, map('b', '3'), MINE)).status).toBe(201);
    expect((await cluster.request('POST', PATH, map('c', '3'), MINE)).status).toBe(409);
  });

  it('should not concern other clients', async () => {
    expect(summaryOf(await cluster.get(`${SELECTED}&resourceVersion=0`))).toBe('a=2 c=2');
  });
});

describe('a lag', () => {
  it('should hold back what open watches would be told, until it is over', async () => {
    const { kube } = cluster;
    const watched = await watch(`resourceVersion=${versions.seen}`);
    const other = await cluster.watch(`${SELECTED}&watch=1&resourceVersion=${versions.seen}`);
    open.push(other);
    const next = watched.next();
    const lag = kube.faults.lag({ userAgent: /^behind/ });
    await write();
    expect(await other.summary(3)).toEqual(['MODIFIED a', 'DELETED b', 'ADDED c']);
    expect(await Promise.race([next, Promise.resolve('nothing')])).toBe('nothing');
    expect(lag.resourceVersion).toBe(versions.seen);
    lag.cancel();
    expect(await next).toMatchObject({ type: 'MODIFIED' });
    expect(await watched.summary(2)).toEqual(['DELETED b', 'ADDED c']);
  });

  it('should move on version by version', async () => {
    const { kube } = cluster;
    const before = await watch(`resourceVersion=${versions.seen}`);
    const lag = kube.faults.lag({ userAgent: /^behind/ });
    const since = await watch(`resourceVersion=${versions.seen}`);
    await cluster.patch(`${PATH}/a`, { data: { a: '2' } });
    const middle = kube.resourceVersion;
    await cluster.patch(`${PATH}/a`, { data: { a: '3' } });
    lag.advance(middle);
    expect(lag.resourceVersion).toBe(middle);
    expect(summaryOf(await get(`${SELECTED}&resourceVersion=0`))).toBe('a=2 b=1');
    for (const watched of [before, since]) expect(await watched.next()).toMatchObject({ object: { data: { a: '2' } } });
    lag.cancel();
    for (const watched of [before, since]) expect(await watched.next()).toMatchObject({ object: { data: { a: '3' } } });
    expect(() => lag.advance('soon')).toThrow(TypeError);
  });

  it('should begin at an earlier version, as far as the history goes', async () => {
    const { kube } = cluster;
    await write();
    const { resourceVersion: newest } = kube;
    const lag = kube.faults.lag({ userAgent: /^behind/ }, { at: versions.seen });
    expect(summaryOf(await get(`${SELECTED}&resourceVersion=0`))).toBe('a=1 b=1');
    const watched = await watch('resourceVersion=0');
    expect(await watched.summary(2)).toEqual(['ADDED a', 'ADDED b']);
    lag.cancel();
    expect(await watched.summary(3)).toEqual(['MODIFIED a', 'DELETED b', 'ADDED c']);
    expect(kube.resourceVersion).toBe(newest);
    expect(() => kube.faults.lag({}, { at: '999999' })).toThrow('There is no version 999999');
    kube.expireHistory();
    expect(() => kube.faults.lag({}, { at: versions.seen })).toThrow(/The history of .* begins after the version/);
  });

  it.each(['promise', 'signal'])('should be over with a %s', async (form) => {
    const { kube } = cluster;
    const controller = new AbortController();
    let resolve = (): void => undefined;
    const promise = new Promise<void>((settle) => (resolve = settle));
    const lag = kube.faults.lag({}, { until: form === 'signal' ? controller.signal : promise });
    await write();
    expect(summaryOf(await get(`${SELECTED}&resourceVersion=0`))).toBe('a=1 b=1');
    expect(lag.hits).toBe(1);
    controller.abort();
    resolve();
    await promise;
    expect(summaryOf(await get(`${SELECTED}&resourceVersion=0`))).toBe('a=2 c=2');
    expect(lag.hits).toBe(1);
  });

  it('should leave nothing behind', async () => {
    const { kube } = cluster;
    const lag = kube.faults.lag();
    const watched = await watch('resourceVersion=0');
    await watched.take(2);
    expect(kube.openWatches).toBe(1);
    await watched.close();
    lag.cancel();
    expect(kube.openWatches).toBe(0);
    const snapshot = kube.snapshot();
    kube.faults.lag();
    const another = await watch('resourceVersion=0');
    await another.take(2);
    await kube.restore(snapshot);
    expect(await another.next()).toBeUndefined();
    expect((await get(`${PATH}/a?resourceVersion=${kube.resourceVersion}`)).status).toBe(200);
  });
});
