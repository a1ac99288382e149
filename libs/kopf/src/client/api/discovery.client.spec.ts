import { makeResource } from '../../../../../test/support/objects/resources.js';
import { scriptedApi, status, type ScriptedAnswer } from '../../../../../test/support/transport/scripted.api.js';
import { DiscoveryClient } from './discovery.client.js';

const PODS = {
  group: '',
  version: 'v1',
  plural: 'pods',
  kind: 'Pod',
  singular: 'pod',
  shortNames: ['po'],
  categories: ['all'],
  subresources: ['log', 'status'],
  namespaced: true,
  preferred: true,
  verbs: ['list', 'watch'],
};

const EXAMPLES = makeResource({ namespaced: false, verbs: PODS.verbs });

const plain: Record<string, ScriptedAnswer> = {
  '/api': { json: { kind: 'APIVersions', versions: ['v1'] } },
  '/apis': {
    json: {
      kind: 'APIGroupList',
      groups: [
        {
          name: 'kopf.dev',
          versions: [{ version: 'v2' }, { version: 'v1' }],
          preferredVersion: { version: 'v1' },
        },
      ],
    },
  },
  '/api/v1': {
    json: {
      resources: [
        { name: 'pods/log', kind: 'Pod', namespaced: true, verbs: ['get'] },
        {
          name: 'pods',
          kind: 'Pod',
          singularName: '',
          namespaced: true,
          shortNames: ['po'],
          categories: ['all'],
          verbs: ['list', 'watch'],
        },
        { name: 'pods/status', kind: 'Pod', namespaced: true, verbs: ['patch'] },
      ],
    },
  },
  '/apis/kopf.dev/v1': {
    json: {
      resources: [
        {
          name: 'kopfexamples',
          kind: 'KopfExample',
          singularName: 'kopfexample',
          namespaced: false,
          verbs: ['list', 'watch'],
        },
      ],
    },
  },
  '/apis/kopf.dev/v2': { status: 503 },
};

const aggregated: Record<string, ScriptedAnswer> = {
  '/api': {
    json: {
      kind: 'APIGroupDiscoveryList',
      items: [
        {
          versions: [
            {
              version: 'v1',
              resources: [
                {
                  resource: 'pods',
                  responseKind: { kind: 'Pod' },
                  scope: 'Namespaced',
                  singularResource: 'pod',
                  shortNames: ['po'],
                  categories: ['all'],
                  verbs: ['list', 'watch'],
                  subresources: [{ subresource: 'log' }, { subresource: 'status' }],
                },
                { resource: 'onlysub', subresources: [{ subresource: 'token' }] },
              ],
            },
          ],
        },
      ],
    },
  },
  '/apis': {
    json: {
      kind: 'APIGroupDiscoveryList',
      items: [
        {
          metadata: { name: 'kopf.dev' },
          versions: [
            {
              version: 'v1',
              resources: [
                {
                  resource: 'kopfexamples',
                  responseKind: { kind: 'KopfExample' },
                  scope: 'Cluster',
                  singularResource: 'kopfexample',
                  verbs: ['list', 'watch'],
                },
              ],
            },
            { version: 'v2', freshness: 'Stale' },
          ],
        },
      ],
    },
  },
};

function make(documents: Record<string, ScriptedAnswer>) {
  const server = scriptedApi(({ path }) => documents[path] ?? status(404, 'NotFound', 'no such path'));
  return { ...server, client: new DiscoveryClient(server.api, server.logger) };
}

describe('DiscoveryClient', () => {
  it.each([
    ['aggregated', aggregated, 2],
    ['plain', plain, 5],
  ])('should read %s documents, without the group whose server does not answer', async (_, documents, requests) => {
    const { client, logger, transport, clock } = make(documents);
    expect(await client.scan()).toEqual([PODS, EXAMPLES]);
    expect(client.unavailable).toEqual(['kopf.dev/v2']);
    expect(transport.requests.length).toBe(requests);
    expect(transport.requests[0].headers.accept).toContain('as=APIGroupDiscoveryList');
    expect(logger.messages('warn').length).toBe(1);
    expect(logger.messages('warn')[0]).toMatch(/^The resources of kopf\.dev\/v2 are not known: /);
    await client.scan();
    expect(logger.messages('warn').length).toBe(1);
    expect(clock.monotonic()).toBe(0);
  });

  it('should find a group when its server answers again', async () => {
    const documents = { ...plain };
    const { client, logger } = make(documents);
    await client.scan();
    documents['/apis/kopf.dev/v2'] = plain['/apis/kopf.dev/v1'];
    expect(await client.scan()).toEqual([PODS, { ...EXAMPLES, version: 'v2', preferred: false }, EXAMPLES]);
    expect(client.unavailable).toEqual([]);
    expect(logger.messages('log')).toEqual(['The resources of kopf.dev/v2 are known again.']);
  });

  it('should look up single groups only, and not mind that one has gone', async () => {
    const documents = { ...plain, '/apis/kopf.dev': { json: (plain['/apis'].json as any).groups[0] } };
    const { client, transport } = make(documents);
    expect(await client.scan({ groups: ['kopf.dev', 'gone.dev'] })).toEqual([EXAMPLES]);
    expect(transport.log.every((line) => line.includes('.dev'))).toBe(true);
    expect(await client.scan({ groups: [''] })).toEqual([PODS]);
  });

  it('should not mind a version that was removed since the groups were listed', async () => {
    const { client, logger } = make({ ...plain, '/apis/kopf.dev/v2': status(404, 'NotFound', '') });
    expect(await client.scan()).toEqual([PODS, EXAMPLES]);
    expect(client.unavailable).toEqual([]);
    expect(logger.messages('warn')).toEqual([]);
  });

  it('should fail if the groups themselves cannot be listed', async () => {
    const { client } = make({});
    await expect(client.scan()).rejects.toMatchObject({ status: 404 });
  });
});
