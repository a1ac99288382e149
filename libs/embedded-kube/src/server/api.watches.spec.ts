import { DEFINITIONS_PATH, Harness, type WatchReader, WIDGETS, WIDGETS_PATH, widget } from '../harness.spec-support.js';

let kube: Harness;
let watches: WatchReader[];
const watch = async (query: string, path = WIDGETS_PATH, headers = {}): Promise<WatchReader> => {
  const reader = await kube.watch(`${path}?watch=1&${query}`, headers);
  watches.push(reader);
  return reader;
};
const create = (name: string, labels?: Record<string, string>) =>
  kube.post(WIDGETS_PATH, widget(name, { size: '1G' }, labels && { labels }));

beforeEach(async () => {
  watches = [];
  kube = await Harness.start({ bookmarkInterval: 10 });
  await kube.post(DEFINITIONS_PATH, WIDGETS);
  await create('a');
  await create('b');
});
afterEach(async () => {
  for (const each of watches) await each.close();
  expect(kube.kube.openWatches).toBe(0);
  await kube.kube.stop();
});

describe('a watch', () => {
  it.each([[''], ['resourceVersion=0']])('should begin with what is there (%s)', async (query) => {
    const reader = await watch(query);
    await create('c');
    expect(await reader.summary(3)).toEqual(['ADDED a', 'ADDED b', 'ADDED c']);
  });

  it('should resume from a version, without gaps and repetitions', async () => {
    const since = kube.kube.resourceVersion;
    await create('c');
    await kube.delete(`${WIDGETS_PATH}/a`);
    const reader = await watch(`resourceVersion=${since}`);
    await kube.patch(`${WIDGETS_PATH}/b`, { spec: { size: '2G' } });
    const lines = await reader.take(3);
    expect(lines.map(({ type, object }) => `${type} ${object.metadata.name}`)).toEqual([
      'ADDED c',
      'DELETED a',
      'MODIFIED b',
    ]);
    const versions = lines.map(({ object }) => Number(object.metadata.resourceVersion));
    expect(versions).toEqual([Number(since) + 1, Number(since) + 2, Number(since) + 3]);
  });

  it('should tell in the stream that a version is gone', async () => {
    const since = kube.kube.resourceVersion;
    await create('c');
    kube.kube.expireHistory();
    const reader = await watch(`resourceVersion=${since}`);
    expect(reader.status).toBe(200);
    const line = await reader.next();
    expect(line).toMatchObject({ type: 'ERROR', object: { kind: 'Status', code: 410, reason: 'Expired' } });
    expect(line!.object.message).toBe(`too old resource version: ${since} (${Number(since) + 1})`);
    expect(await reader.next()).toBeUndefined();
  });

  it('should show objects that enter and leave the selection as added and deleted', async () => {
    const reader = await watch(`resourceVersion=${kube.kube.resourceVersion}&labelSelector=x%3Dy`);
    const label = (value: string | null) => kube.patch(`${WIDGETS_PATH}/a`, { metadata: { labels: { x: value } } });
    await create('c', { x: 'z' });
    await label('y');
    await kube.patch(`${WIDGETS_PATH}/a`, { spec: { size: '2G' } });
    await label(null);
    await kube.delete(`${WIDGETS_PATH}/a`);
    await create('d', { x: 'y' });
    const lines = await reader.take(4);
    expect(lines.map(({ type, object }) => `${type} ${object.metadata.name}`)).toEqual([
      'ADDED a',
      'MODIFIED a',
      'DELETED a',
      'ADDED d',
    ]);
    expect(lines[2]!.object.metadata.labels).toEqual({ x: 'y' });
    expect(Number(lines[2]!.object.metadata.resourceVersion)).toBeGreaterThan(
      Number(lines[1]!.object.metadata.resourceVersion),
    );
  });

  it('should be limited to one object and one namespace', async () => {
    await kube.post('/api/v1/namespaces', { metadata: { name: 'other' } });
    const named = await watch('fieldSelector=metadata.name%3Db');
    const other = await watch('', '/apis/example.com/v1/namespaces/other/widgets');
    const all = await watch(`resourceVersion=${kube.kube.resourceVersion}`, '/apis/example.com/v1/widgets');
    await kube.patch(`${WIDGETS_PATH}/a`, { spec: { size: '2G' } });
    await kube.patch(`${WIDGETS_PATH}/b`, { spec: { size: '2G' } });
    await kube.post('/apis/example.com/v1/namespaces/other/widgets', widget('o'));
    expect(await named.summary(2)).toEqual(['ADDED b', 'MODIFIED b']);
    expect(await other.summary(1)).toEqual(['ADDED o']);
    expect(await all.summary(3)).toEqual(['MODIFIED a', 'MODIFIED b', 'ADDED o']);
  });

  it('should end after its timeout', async () => {
    const reader = await watch(`timeoutSeconds=5&resourceVersion=${kube.kube.resourceVersion}`);
    const end = reader.next();
    await kube.clock.advance(4_999);
    expect(kube.kube.openWatches).toBe(1);
    await kube.clock.advance(1);
    expect(await end).toBeUndefined();
    expect(kube.kube.openWatches).toBe(0);
  });

  it('should end between 30 and 60 minutes without one', async () => {
    const reader = await watch(`resourceVersion=${kube.kube.resourceVersion}`);
    const end = reader.next();
    await kube.clock.advance(30 * 60_000 - 1);
    expect(kube.kube.openWatches).toBe(1);
    await kube.clock.advance(30 * 60_000 + 1);
    expect(await end).toBeUndefined();
  });

  it('should send bookmarks if they are allowed, and no timer once all watches are closed', async () => {
    const plain = await watch(`resourceVersion=${kube.kube.resourceVersion}`);
    const reader = await watch(`resourceVersion=${kube.kube.resourceVersion}&allowWatchBookmarks=true`);
    await kube.post('/api/v1/namespaces/default/configmaps', { metadata: { name: 'm' } });
    await kube.clock.advance(10_000);
    expect(await reader.next()).toEqual({
      type: 'BOOKMARK',
      object: {
        apiVersion: 'example.com/v1',
        kind: 'Widget',
        metadata: { resourceVersion: kube.kube.resourceVersion },
      },
    });
    await create('c');
    expect(await plain.summary(1)).toEqual(['ADDED c']);
    await plain.close();
    await reader.close();
    expect(kube.clock.pending).toBe(0);
  });

  it('should stream a list and mark its end', async () => {
    const reader = await watch('sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true');
    const lines = await reader.take(3);
    expect(lines.map(({ type }) => type)).toEqual(['ADDED', 'ADDED', 'BOOKMARK']);
    expect(lines[2]!.object.metadata).toEqual({
      annotations: { 'k8s.io/initial-events-end': 'true' },
      resourceVersion: kube.kube.resourceVersion,
    });
  });

  it('should refuse a streamed list without a version match', async () => {
    const { body } = await kube.get(`${WIDGETS_PATH}?watch=1&sendInitialEvents=true`);
    expect(body.message).toBe(
      'ListOptions.meta.k8s.io "" is invalid: resourceVersionMatch: Forbidden: sendInitialEvents requires setting resourceVersionMatch to NotOlderThan',
    );
  });

  it('should describe the columns of a table once', async () => {
    const reader = await watch('', WIDGETS_PATH, { accept: 'application/json;as=Table;v=v1;g=meta.k8s.io' });
    const [first, second] = (await reader.take(2)) as unknown as {
      object: { columnDefinitions: unknown; rows: { cells: unknown[] }[] };
    }[];
    expect(first!.object.columnDefinitions).toHaveLength(2);
    expect(second!.object.columnDefinitions ?? []).toHaveLength(0);
    expect(second!.object.rows[0]!.cells).toEqual(['b', '1G']);
  });

  it('should end with the definition of its resource', async () => {
    const reader = await watch(`resourceVersion=${kube.kube.resourceVersion}`);
    await kube.delete(`${DEFINITIONS_PATH}/widgets.example.com`);
    await kube.clock.settle();
    expect(await reader.summary(2)).toEqual(['DELETED a', 'DELETED b']);
    expect(await reader.next()).toBeUndefined();
  });

  it('should give all watchers the same line of one change', async () => {
    const readers = await Promise.all([1, 2, 3].map(() => watch(`resourceVersion=${kube.kube.resourceVersion}`)));
    await create('c');
    const lines = await Promise.all(readers.map((reader) => reader.next()));
    expect(new Set(lines.map((line) => JSON.stringify(line))).size).toBe(1);
  });

  it('should be cut off with the request', async () => {
    const cut = new AbortController();
    const path = `${WIDGETS_PATH}?watch=1&resourceVersion=${kube.kube.resourceVersion}`;
    const response = await kube.transport.request({
      method: 'GET',
      path,
      headers: {},
      streaming: true,
      signal: cut.signal,
    });
    const reading = response.text();
    cut.abort(new Error('enough'));
    await expect(reading).rejects.toThrow('enough');
  });
});
