import { failure } from '../../../../test/support/time/eventually.js';
import { scriptedApi } from '../../../../test/support/transport/scripted.api.js';
import type { KubeObject } from '../objects/kube-object.js';
import { KopfSettings } from '../settings/kopf.settings.js';
import { KubeClient } from './kube.client.js';

const POD = { apiVersion: 'v1', kind: 'Pod' };
const FM = { fieldManager: 'me' };

const discovery = {
  kind: 'APIGroupDiscoveryList',
  items: [
    {
      versions: [
        {
          version: 'v1',
          resources: [
            { resource: 'pods', responseKind: { kind: 'Pod' }, scope: 'Namespaced', verbs: ['get', 'create'] },
            { resource: 'nodes', responseKind: { kind: 'Node' }, scope: 'Cluster', verbs: ['get', 'create'] },
            { resource: 'reviews', responseKind: { kind: 'Review' }, scope: 'Cluster', verbs: ['create'] },
          ],
        },
      ],
    },
  ],
};

function make() {
  const server = scriptedApi(({ path }) => ({ json: path === '/api' ? discovery : path === '/apis' ? {} : POD }));
  const { api, clock, random, logger, transport } = server;
  const client = new KubeClient({ api, settings: new KopfSettings(), clock, random, logger });
  return { api, client, sent: () => transport.log.filter((line) => !/ \/apis?$/.test(line)), log: () => transport.log };
}

type Place = { readonly namespace?: any; readonly subresource?: any };

async function drain(lines: AsyncIterable<unknown>): Promise<void> {
  for await (const _ of lines);
}

const object = (name: unknown, kind = 'Pod'): KubeObject => ({ ...POD, kind, metadata: { name } }) as KubeObject;

/** All public methods, so that a new one cannot be forgotten: what has no name of an object is listed as such. */
const METHODS: Readonly<
  Record<string, ((client: KubeClient, name: any, options?: Place) => Promise<unknown>) | 'names no object'>
> = {
  resolve: 'names no object',
  list: 'names no object',
  listAll: 'names no object',
  watch: 'names no object',
  get: (client, name, options) => client.get('pods', name, options),
  patch: (client, name, options) => client.patch('pods', name, {}, options),
  delete: (client, name, options) => client.delete('pods', name, options),
  logs: (client, name, options) => drain(client.logs(name, options)),
  create: (client, name, options) => client.create(object(name), options),
  replace: (client, name, options) => client.replace(object(name), options),
  apply: (client, name, options) => client.apply(object(name), { ...FM, ...options }),
  applySet: (client, name) => client.applySet(object(name), [], FM),
};

/** The private methods, which are known, too, as they cannot be told apart at runtime. */
const PRIVATE = ['constructor', 'onResource', 'onObject', 'onNamed', 'onPlace', 'createRelocation', 'namespaceOf'];

const NAMED = Object.entries(METHODS).flatMap(([method, call]) =>
  call === 'names no object' ? [] : [{ method, call }],
);

const NO_NAMES = ['', ' ', undefined, null, 5, {}, '.', '..', 'a/b', 'a?b', 'a%2Fb'];

describe('KubeClient with names that are none', () => {
  it('should have a row for each of its methods', () => {
    const methods = Object.getOwnPropertyNames(KubeClient.prototype).filter((name) => !PRIVATE.includes(name));
    expect(methods.sort()).toEqual(Object.keys(METHODS).sort());
  });

  it.each(NAMED)(
    'should refuse them in $method() before any request, naming the method and the argument',
    async ({ method, call }) => {
      for (const name of NO_NAMES) {
        const { client, sent, log } = make();
        const error = await failure(call(client, name));
        expect(error, `${method}(${String(name)})`).toBeInstanceOf(TypeError);
        expect(error.message).toMatch(
          new RegExp(`^KubeClient\\.${method}\\(\\): (the argument (name|pod)|metadata\\.name of )`),
        );
        expect(sent()).toEqual([]);
        // Without a name, what is created can be a review, which only discovery tells.
        if (method !== 'create') expect(log()).toEqual([]);
      }
    },
  );

  it.each(NAMED.filter(({ method }) => method !== 'applySet'))(
    'should refuse an empty namespace in $method(), and one that leads elsewhere',
    async ({ method, call }) => {
      for (const namespace of ['', ' ', null, 5, '..', 'a/b', 'a?b']) {
        const { client, sent } = make();
        const error = await failure(call(client, 'web', { namespace }));
        expect(error, `${method}(${String(namespace)})`).toBeInstanceOf(TypeError);
        expect(error.message).toMatch(new RegExp(`^KubeClient\\.${method}\\(\\): the namespace`));
        expect(sent()).toEqual([]);
      }
    },
  );

  it.each(NAMED.filter(({ method }) => method !== 'applySet' && method !== 'logs'))(
    'should refuse a subresource in $method() that would be the object, or another path',
    async ({ method, call }) => {
      for (const subresource of ['', ' ', null, 'status/..', '..', 'a?b']) {
        const { client, log } = make();
        const error = await failure(call(client, 'web', { namespace: 'ns', subresource }));
        expect(error, `${method}(${String(subresource)})`).toBeInstanceOf(TypeError);
        expect(error.message).toContain(`KubeClient.${method}(): the option subresource`);
        expect(log()).toEqual([]);
      }
    },
  );

  it('should refuse objects of a set without names before any of them is applied', async () => {
    const { client, log } = make();
    const error = await failure(client.applySet(object('parent'), [object('a'), object('')], FM));
    expect(error.message).toBe('KubeClient.applySet(): metadata.name of a Pod of the objects is empty.');
    expect(log()).toEqual([]);
  });

  it('should create under a generated name, and what has no names', async () => {
    const { client, sent } = make();
    await client.create({ ...POD, metadata: { namespace: 'ns', generateName: 'web-' } });
    await client.create({ ...POD, kind: 'Review', metadata: { name: '' } });
    expect(sent()).toEqual(['POST /api/v1/namespaces/ns/pods', 'POST /api/v1/reviews']);
  });

  it('should not mind an empty namespace of what has none', async () => {
    const { client, sent } = make();
    await client.get('nodes', 'n', { namespace: '' });
    expect(sent()).toEqual(['GET /api/v1/nodes/n']);
  });
});

describe('KubeApi', () => {
  const COLLECTION = '/api/v1/namespaces/ns/pods';

  it.each([
    ['delete', (api: ReturnType<typeof make>['api'], path: string) => api.delete(path)],
    ['put', (api: ReturnType<typeof make>['api'], path: string) => api.put(path, {})],
    ['patch', (api: ReturnType<typeof make>['api'], path: string) => api.patch(path, 'merge', {})],
  ])('should not %s a collection', async (_, call) => {
    const { api, log } = make();
    for (const path of [
      COLLECTION,
      `${COLLECTION}?dryRun=All`,
      `${COLLECTION}/`,
      '/api/v1/nodes',
      '/api/v1/namespaces',
    ]) {
      expect(await failure(call(api, path))).toBeInstanceOf(TypeError);
    }
    expect(log()).toEqual([]);
  });

  it('should send nothing on a path that leads elsewhere, by whichever method', async () => {
    const { api, log } = make();
    for (const path of [`${COLLECTION}/`, `${COLLECTION}/..`, `${COLLECTION}/%2E%2E`, '/api/v1/namespaces//pods/a']) {
      for (const call of [
        () => api.get(path),
        () => api.list(path),
        () => api.post(path, {}),
        () => api.send('DELETE', path),
        () => api.stream(path),
        () => api.request('DELETE', path),
      ]) {
        expect(await failure(call())).toBeInstanceOf(TypeError);
      }
    }
    expect(log()).toEqual([]);
  });
});
