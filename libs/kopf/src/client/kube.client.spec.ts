import { failure } from '../../../../test/support/time/eventually.js';
import {
  scriptedApi,
  ScriptedStream,
  status,
  systemError,
  type Script,
} from '../../../../test/support/transport/scripted.api.js';
import { ApiConflictError } from './api/api.errors.js';
import { DiscoveryClient } from './api/discovery.client.js';
import type { KubeObject } from '../objects/kube-object.js';
import { KopfSettings } from '../settings/kopf.settings.js';
import { KubeClient } from './kube.client.js';

const kinds = [
  ['', 'v1', 'pods', 'Pod', true],
  ['', 'v1', 'nodes', 'Node', false],
  ['apps', 'v1', 'deployments', 'Deployment', true],
  ['one.dev', 'v1', 'things', 'Thing', true],
  ['two.dev', 'v1', 'things', 'Thing', true],
] as const;

const discovery = (isCore: boolean): object => ({
  kind: 'APIGroupDiscoveryList',
  items: kinds
    .filter(([group]) => !group === isCore)
    .map(([group, version, resource, kind, namespaced]) => ({
      metadata: { name: group },
      versions: [
        { version, resources: [{ resource, responseKind: { kind }, scope: namespaced ? 'Namespaced' : 'Cluster' }] },
      ],
    })),
});

function make(script: Script) {
  const server = scriptedApi((request, index) => {
    if (request.path === '/api') return { json: discovery(true) };
    if (request.path === '/apis') return { json: discovery(false) };
    return script(request, index);
  });
  const { api, clock, random, logger, transport } = server;
  const client = new KubeClient({ api, settings: new KopfSettings(), clock, random, logger });
  const log = (): string[] => transport.log.filter((line) => !/ \/apis?$/.test(line));
  return { ...server, client, log };
}

const pod = { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'web', namespace: 'ns' } };

describe('KubeClient', () => {
  it.each<[string, (client: KubeClient) => Promise<unknown>, string]>([
    ['get', (client) => client.get('pods', 'web', { namespace: 'ns' }), 'GET /api/v1/namespaces/ns/pods/web'],
    ['get', (client) => client.get('Pod', 'web'), 'GET /api/v1/namespaces/from-context/pods/web'],
    ['get', (client) => client.get('nodes.v1', 'n', { namespace: 'x' }), 'GET /api/v1/nodes/n'],
    [
      'get',
      (client) => client.get({ apiVersion: 'apps/v1', kind: 'Deployment' }, 'web', { subresource: 'scale' }),
      'GET /apis/apps/v1/namespaces/from-context/deployments/web/scale',
    ],
    [
      'list',
      (client) => client.list('deployments.apps', { labelSelector: 'app=web', limit: 5 }),
      'GET /apis/apps/v1/deployments?labelSelector=app%3Dweb&limit=5',
    ],
    ['create', (client) => client.create(pod), 'POST /api/v1/namespaces/ns/pods'],
    [
      'create',
      (client) => client.create(pod, { subresource: 'binding', dryRun: true, fieldManager: 'me' }),
      'POST /api/v1/namespaces/ns/pods/web/binding?fieldManager=me&dryRun=All',
    ],
    [
      'replace',
      (client) => client.replace(pod, { subresource: 'status' }),
      'PUT /api/v1/namespaces/ns/pods/web/status',
    ],
    ['patch', (client) => client.patch('pods', 'web', {}, { namespace: 'ns' }), 'PATCH /api/v1/namespaces/ns/pods/web'],
    [
      'apply',
      (client) => client.apply(pod, { fieldManager: 'me', force: true }),
      'PATCH /api/v1/namespaces/ns/pods/web?fieldManager=me&force=true',
    ],
    ['delete', (client) => client.delete('pods', 'web'), 'DELETE /api/v1/namespaces/from-context/pods/web'],
  ])('should %s', async (_, call, expected) => {
    const { client, log, vault } = make(() => ({ json: { items: [], metadata: {} } }));
    await vault.acquire();
    await call(client);
    expect(log()).toEqual([expected]);
  });

  it.each([
    ['merge', 'application/merge-patch+json'],
    ['json', 'application/json-patch+json'],
    ['strategic', 'application/strategic-merge-patch+json'],
  ] as const)('should patch by %s', async (type, contentType) => {
    const { client, transport } = make(() => ({ json: {} }));
    await client.patch('pods', 'web', { a: 1 }, { type });
    expect(transport.requests.at(-1)).toMatchObject({ headers: { 'content-type': contentType }, body: '{"a":1}' });
  });

  describe('creating under a generated name', () => {
    const metadata = { generateName: 'web-', namespace: 'ns', labels: { app: 'web' } };
    const unnamed: KubeObject = { apiVersion: 'v1', kind: 'Pod', metadata };
    const GENERATED = /^web-[bcdfghjklmnpqrstvwxz2456789]{5}$/;
    const taken = status(409, 'AlreadyExists', 'it exists');

    /** A server that keeps what is created, and loses the answers to the attempts of the given numbers. */
    function createServer(
      losses: readonly number[] = [],
      change: (object: KubeObject) => KubeObject = (object) => object,
    ) {
      const objects = new Map<string, KubeObject>();
      let posts = 0;
      const server = make(({ method, path, body }) => {
        if (method === 'GET') {
          const found = objects.get(path.split('/').at(-1)!);
          return found ? { json: found } : status(404, 'NotFound', 'no such pod');
        }
        const object = JSON.parse(body!) as KubeObject;
        const name = object.metadata.name!;
        const lost = losses.includes(posts++);
        if (objects.has(name)) return lost ? systemError('ECONNRESET') : taken;
        objects.set(name, change({ ...object, metadata: { ...object.metadata, uid: `uid-${objects.size}` } }));
        return lost ? systemError('ECONNRESET') : { status: 201, json: objects.get(name) };
      });
      return { ...server, objects };
    }

    it('should make a name as API servers do, and keep the prefix in the object', async () => {
      const { client, transport } = createServer();
      const created = await client.create(unnamed);
      expect(created.metadata.name).toMatch(GENERATED);
      expect(JSON.parse(transport.requests.at(-1)!.body!)).toEqual({
        ...unnamed,
        metadata: { ...metadata, name: created.metadata.name },
      });
      const long = await client.create<KubeObject>({
        ...unnamed,
        metadata: { ...metadata, generateName: 'x'.repeat(80) },
      });
      expect(long.metadata.name).toMatch(/^x{58}[bcdfghjklmnpqrstvwxz2456789]{5}$/);
    });

    it.each([[[0]], [[0, 1]], [[0, 1, 2, 3]]])(
      'should create one object when the answers %j are lost',
      async (losses) => {
        const { client, clock, objects, log } = createServer(losses);
        const created = await clock.runUntil(client.create(unnamed));
        expect([...objects.values()]).toEqual([created]);
        expect(created.metadata.uid).toBe('uid-0');
        expect(log().at(-1)).toBe(`GET /api/v1/namespaces/ns/pods/${created.metadata.name}`);
      },
    );

    it('should recognise the object though webhooks have changed it', async () => {
      const { client, clock, objects } = createServer([0], ({ metadata: { labels, ...rest }, ...object }) => ({
        ...object,
        spec: { injected: true },
        metadata: { ...rest, labels: { ...labels, injected: 'true' } },
      }));
      const created = await clock.runUntil(client.create({ ...unnamed, spec: { injected: false } }));
      expect([objects.size, created.spec]).toEqual([1, { injected: true }]);
    });

    it.each([
      ['at once', []],
      ['after a lost answer', [0]],
    ])('should take another name if the first one is taken: %s', async (_, losses) => {
      const { client, clock, objects } = createServer(losses);
      const first = await clock.runUntil(createServer().client.create(unnamed));
      objects.set(first.metadata.name!, { ...first, metadata: { ...first.metadata, labels: { app: 'other' } } });
      const created = await clock.runUntil(client.create(unnamed));
      expect(created.metadata.name).toMatch(GENERATED);
      expect(created.metadata.name).not.toBe(first.metadata.name);
      expect(objects.size).toBe(2);
    });

    it('should give up when all names are taken', async () => {
      const { client, clock, log } = make(() => taken);
      expect(await clock.runUntil(failure(client.create(unnamed)))).toBeInstanceOf(ApiConflictError);
      expect(log().length).toBe(8);
    });

    it('should tell of the conflict if the object has gone since', async () => {
      const { client, clock } = make(({ method }, index) => {
        if (method === 'GET') return status(404, 'NotFound', 'no such pod');
        return index < 3 ? systemError('ECONNRESET') : taken;
      });
      const error = await clock.runUntil(failure(client.create(unnamed)));
      expect(error).toMatchObject({ code: 'KOPF_API_CONFLICT', afterLostAnswer: true });
    });

    it('should leave it to the caller whether an object of a given name is its own', async () => {
      const { client, clock, objects } = createServer([0]);
      const error = await clock.runUntil(failure(client.create(pod)));
      expect(error).toMatchObject({ code: 'KOPF_API_CONFLICT', afterLostAnswer: true });
      expect(objects.size).toBe(1);
    });
  });

  it('should count an object as deleted that is gone after a lost answer, and only then', async () => {
    const missing = status(404, 'NotFound', 'no such pod');
    const { client, clock } = make(({ method }, index) =>
      method === 'DELETE' && index < 3 ? systemError('EPIPE') : missing,
    );
    expect(await clock.runUntil(client.delete('pods', 'web'))).toBeUndefined();
    expect(await clock.runUntil(failure(client.delete('pods', 'web')))).toMatchObject({ code: 'KOPF_API_NOT_FOUND' });
  });

  it('should delete as told', async () => {
    const { client, transport } = make(() => ({ json: {} }));
    await client.delete('pods', 'web', { propagationPolicy: 'Foreground', preconditions: { uid: 'u' }, dryRun: true });
    expect(JSON.parse(transport.requests.at(-1)!.body!)).toEqual({
      propagationPolicy: 'Foreground',
      preconditions: { uid: 'u' },
      dryRun: ['All'],
    });
  });

  it('should know the resources that the operator has found over the same connections', async () => {
    const { client, api, logger, transport } = make(() => ({ json: pod }));
    await new DiscoveryClient(api, logger).scan();
    const before = transport.requests.length;
    await client.get('pods', 'web', { namespace: 'ns' });
    expect(transport.log.slice(before)).toEqual(['GET /api/v1/namespaces/ns/pods/web']);
  });

  it('should look up the resources once, and again only for unknown ones', async () => {
    const { client, transport } = make(() => ({ json: {} }));
    await Promise.all([client.resolve('pods'), client.resolve('nodes')]);
    await client.resolve('deployments');
    const before = transport.requests.length;
    await expect(client.resolve('nothing')).rejects.toThrow('The API server has no resource nothing.');
    expect(transport.requests.length).toBe(before + 2);
    await client.resolve('pods');
    expect(transport.requests.length).toBe(before + 2);
  });

  it('should not guess which of several resources is meant', async () => {
    const { client } = make(() => ({ json: {} }));
    await expect(client.resolve('things')).rejects.toThrow(
      'The resource things can be any of: things.v1.one.dev, things.v1.two.dev.',
    );
    expect((await client.resolve('things.two.dev')).group).toBe('two.dev');
  });

  it('should iterate over all pages', async () => {
    const { client, log } = make(({ path }) => ({
      json: path.includes('continue')
        ? { metadata: {}, items: [{ metadata: { name: 'b' } }] }
        : { metadata: { continue: 'next' }, items: [{ metadata: { name: 'a' } }] },
    }));
    const names: unknown[] = [];
    for await (const { metadata } of client.listAll('pods')) names.push(metadata.name);
    expect(names).toEqual(['a', 'b']);
    expect(log()).toEqual(['GET /api/v1/pods?limit=500', 'GET /api/v1/pods?limit=500&continue=next']);
  });

  it('should iterate over changes, and close the stream when the loop is left', async () => {
    const stream = new ScriptedStream();
    const { client, clock } = make(({ path }) =>
      path.includes('watch=true')
        ? { stream: stream.event('ADDED', pod).event('DELETED', pod) }
        : {
            json: {
              kind: 'PodList',
              apiVersion: 'v1',
              metadata: { resourceVersion: '1' },
              items: [{ metadata: { name: 'a' } }],
            },
          },
    );
    const types: unknown[] = [];
    for await (const { type } of client.watch('pods')) {
      types.push(type);
      if (type === 'DELETED') break;
    }
    expect(types).toEqual([null, 'ADDED', 'DELETED']);
    expect(stream.closed).toBe(true);
    expect(clock.pending).toBe(0);
  });

  it('should end the iteration over changes when the signal is aborted', async () => {
    const { client } = make(({ path }) =>
      path.includes('watch=true')
        ? { stream: new ScriptedStream().event('ADDED', pod) }
        : { json: { metadata: {}, items: [] } },
    );
    const controller = new AbortController();
    let count = 0;
    for await (const _ of client.watch('pods', { signal: controller.signal })) {
      count++;
      controller.abort();
    }
    expect(count).toBe(1);
  });

  it('should read the lines of a log, empty ones too', async () => {
    const { client, log } = make(() => ({ stream: new ScriptedStream().text('one\n\ntw').text('o\nrest').end() }));
    const lines: string[] = [];
    for await (const line of client.logs('web', { namespace: 'ns', follow: true, container: 'main' })) lines.push(line);
    expect(lines).toEqual(['one', '', 'two', 'rest']);
    expect(log()).toEqual(['GET /api/v1/namespaces/ns/pods/web/log?follow=true&container=main']);
  });

  it.each([
    [{ kind: 'Pod', metadata: { name: 'a' } }, 'no apiVersion'],
    [{ apiVersion: 'v1', kind: 'Pod', metadata: {} }, 'metadata.name of the Pod is missing'],
  ])('should refuse an incomplete object: %j', async (object, message) => {
    const { client } = make(() => ({ json: {} }));
    await expect(client.replace(object)).rejects.toThrow(message);
  });

  it.each<[string, unknown]>([
    ['The object is undefined.', undefined],
    ['The object is null.', null],
    ['object.data.size is NaN', { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'a' }, data: { size: NaN } }],
    ['object.spec is a Map', { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'a' }, spec: new Map() }],
  ])('should refuse what would not arrive as it was given: %s', async (message, object) => {
    const { client, log } = make(() => ({ json: {} }));
    const options = { fieldManager: 'own' };
    for (const send of [client.create, client.replace, client.apply]) {
      await expect(send.call(client, object as KubeObject, options)).rejects.toThrow(message);
    }
    await expect(client.patch('pods', 'a', object as object)).rejects.toThrow(message.replace('object', 'patch'));
    expect(log()).toEqual([]);
  });
});
