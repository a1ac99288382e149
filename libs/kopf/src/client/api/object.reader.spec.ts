import { ApiConflictError, ApiNotFoundError } from './api.errors.js';
import { ifFound, UnfilteredReader } from './object.reader.js';
import { makeResource } from '../../../../../test/support/objects/resources.js';
import { scriptedApi, status, type Script } from '../../../../../test/support/transport/scripted.api.js';
import { ObjectSelector } from '../../resources/object-selector.js';
import type { ServerSelectors } from '../watch/server.selectors.js';

const REQUEST = { method: 'GET', path: '/api/v1/pods' };

describe('ifFound', () => {
  it('should give what is found', async () => {
    expect(await ifFound(Promise.resolve('something'))).toBe('something');
  });

  it('should give nothing if nothing is found', async () => {
    expect(await ifFound(Promise.reject(new ApiNotFoundError({ ...REQUEST, status: 404 })))).toBeUndefined();
  });

  it.each([new ApiConflictError({ ...REQUEST, status: 409 }), new TypeError('broken')])(
    'should not hide any other failure: %s',
    async (error) => {
      await expect(ifFound(Promise.reject(error))).rejects.toBe(error);
    },
  );
});

const RESOURCE = makeResource();

const OBJECT = { metadata: { name: 'a', namespace: 'ns', uid: '1', labels: { app: 'web' } } };

function clientOf(selection: object, script: Script, settled?: ServerSelectors) {
  const { api, transport } = scriptedApi(script);
  const client = new UnfilteredReader(api, RESOURCE, ObjectSelector.parse(selection), 2, settled);
  const queries = (): string[] => transport.log.map((line) => decodeURIComponent(line.split('?')[1] ?? ''));
  return { client, queries };
}

const list = (...items: object[]) => ({ json: { kind: 'KopfExampleList', metadata: { resourceVersion: '7' }, items } });

describe('UnfilteredReader', () => {
  it.each([
    ['has gone', () => list(), { fate: 'gone', version: '7' }],
    ['has another uid', () => list({ metadata: { ...OBJECT.metadata, uid: '2' } }), { fate: 'gone', version: '7' }],
    ['has gone with its resource', () => status(404, 'NotFound', 'no'), { fate: 'gone' }],
    ['has the labels', () => list(OBJECT), { fate: 'selected' }],
  ])('should find out that an object %s', async (_what, script, expected) => {
    const { client, queries } = clientOf({ labels: 'app=web' }, script);
    expect(await client.fetchStatus(OBJECT)).toEqual(expected);
    expect(queries()).toEqual(['fieldSelector=metadata.name=a']);
  });

  it('should take an object for gone that the settings exclude', async () => {
    const settled = { labelSelector: 'tier', fieldSelector: 'metadata.name!=b', shardSelector: 'shardRange()' };
    const { client, queries } = clientOf({ labels: 'app=web' }, () => list(), settled);
    expect(await client.fetchStatus(OBJECT)).toEqual({ fate: 'gone', version: '7' });
    await client.listAll('ns').next();
    expect(queries()).toEqual([
      'labelSelector=tier&fieldSelector=metadata.name!=b,metadata.name=a&shardSelector=shardRange()',
      'limit=2&labelSelector=tier&fieldSelector=metadata.name!=b&shardSelector=shardRange()',
    ]);
  });

  it('should find out that an object without a uid has gone', async () => {
    const { client } = clientOf({ labels: 'app=web' }, () => list());
    expect(await client.fetchStatus({ metadata: { name: 'a' } })).toEqual({ fate: 'gone', version: '7' });
  });

  it('should give an object that has not the labels', async () => {
    const { client } = clientOf({ labels: 'app=db' }, () => list(OBJECT));
    expect(await client.fetchStatus(OBJECT)).toMatchObject({ fate: 'left', object: OBJECT });
  });

  it('should leave it to the server what fields mean', async () => {
    const selection = { labels: 'app', fields: 'status.phase=Running' };
    const selected = clientOf(selection, () => list(OBJECT));
    expect(await selected.client.fetchStatus(OBJECT)).toEqual({ fate: 'selected' });
    expect(selected.queries()[1]).toBe('labelSelector=app&fieldSelector=metadata.name=a,status.phase=Running');
    const other = clientOf(selection, (_request, index) => (index === 0 ? list(OBJECT) : list()));
    expect(await other.client.fetchStatus(OBJECT)).toMatchObject({ fate: 'left', object: OBJECT });
  });

  it('should list everything in pages, with nothing but metadata', async () => {
    const pages = [
      { json: { metadata: { continue: 'more' }, items: [{ metadata: { name: 'a' } }, { metadata: { name: 'b' } }] } },
      { json: { metadata: {}, items: [{ metadata: { name: 'c' } }] } },
    ];
    const accepted: unknown[] = [];
    const { client, queries } = clientOf({ labels: 'app=web' }, ({ headers }, index) => {
      accepted.push(headers.accept);
      return pages[index];
    });
    const names: unknown[] = [];
    for await (const { kind, metadata } of client.listAll('ns')) names.push(`${kind} ${metadata.name}`);
    expect(names).toEqual(['KopfExample a', 'KopfExample b', 'KopfExample c']);
    expect(queries()).toEqual(['limit=2', 'limit=2&continue=more']);
    expect(accepted[0]).toMatch(/^application\/json;as=PartialObjectMetadataList/);
  });
});
