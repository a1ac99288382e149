import { KubernetesObjectApi } from '@kubernetes/client-node';
import {
  InjectKubeApi,
  KopfModule,
  KubeClient,
  OnEvent,
  UnknownResourceError,
  type EventContext,
  type KubeObject,
} from 'nestjs-kopf';
import { Injectable } from '@nestjs/common';
import { errorResponse, OperatorHarness } from '../../support/operators/operator.harness.js';

const DEFINITIONS = { group: 'apiextensions.k8s.io', plural: 'customresourcedefinitions' };
const NAME = 'disks.example.com';

interface Form {
  readonly versions: readonly string[];
  readonly plural?: string;
  readonly scope?: 'Namespaced' | 'Cluster';
}

/** A CRD that serves these versions, the last of which is the preferred one and is stored. */
function definition({ versions, plural = 'disks', scope = 'Namespaced' }: Form) {
  const schema = { openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } };
  return {
    metadata: { name: `${plural}.example.com` },
    spec: {
      group: 'example.com',
      scope,
      names: { kind: 'Disk', plural, singular: 'disk', listKind: 'DiskList' },
      versions: versions.map((name, index) => ({
        name,
        served: true,
        storage: index === versions.length - 1,
        schema,
        subresources: { status: {} },
      })),
    },
  };
}

@Injectable()
class Objects {
  constructor(@InjectKubeApi(KubernetesObjectApi) readonly api: KubernetesObjectApi) {}
}

describe('A client without an operator, when the resources of the cluster change', () => {
  let harness: OperatorHarness;
  let client: KubeClient;
  const requests: string[] = [];

  const define = async (form: Form): Promise<void> => {
    await harness.kube.client.create(DEFINITIONS, undefined, definition(form));
    await harness.advance(1);
  };
  const remove = async (name = NAME): Promise<void> => {
    await harness.kube.client.delete(DEFINITIONS, undefined, name);
    await harness.advance(5);
  };
  const serve = async (...versions: string[]): Promise<void> => {
    const old = harness.kube.client.get(DEFINITIONS, undefined, NAME) as any;
    const { spec } = definition({ versions });
    // Objects may be stored in those that are not served any more.
    const others = old.spec.versions.filter(({ name }: { name: string }) => !versions.includes(name));
    const unserved = others.map((version: object) => ({ ...version, served: false, storage: false }));
    await harness.kube.client.patch(DEFINITIONS, undefined, NAME, {
      spec: { versions: [...spec.versions, ...unserved] },
    });
    await harness.advance(1);
  };
  const disk = (version: string, name = 'a'): KubeObject => ({
    apiVersion: `example.com/${version}`,
    kind: 'Disk',
    metadata: { name, namespace: 'ns' },
  });
  const scans = (): number => requests.filter((line) => line === 'GET /apis').length;

  beforeEach(async () => {
    requests.length = 0;
    harness = await OperatorHarness.start();
    await harness.run([Objects], {
      enabled: false,
      unready: true,
      imports: [KopfModule.forFeature({ apis: [KubernetesObjectApi] })],
      intercept: ({ method, path }) => void requests.push(`${method} ${path}`),
    });
    client = harness.get<KubeClient>(KubeClient);
  });

  it.each<[string, (name: string) => Promise<unknown>]>([
    ['get', (name) => client.get(NAME, name, { namespace: 'ns' })],
    ['list', () => client.list('disks')],
    ['listAll', () => client.listAll('Disk').next()],
    ['patch', (name) => client.patch('disk', name, { spec: { size: 1 } }, { namespace: 'ns' })],
    ['patch status', (name) => client.patch('disk', name, { status: {} }, { namespace: 'ns', subresource: 'status' })],
    ['delete', (name) => client.delete(NAME, name, { namespace: 'ns' })],
  ])('should find a version that takes the place of another one: %s', async (_, call) => {
    await define({ versions: ['v1beta1'] });
    await client.create(disk('v1beta1'));
    await client.create(disk('v1beta1', 'b'));
    await call('a');
    await serve('v1beta1', 'v1');
    await serve('v1');
    await call('b');
    expect(requests.at(-1)).toMatch(/ \/apis\/example\.com\/v1\//);
    await serve('v1', 'v2');
    expect((await client.create(disk('v2', 'c'))).apiVersion).toBe('example.com/v2');
  });

  it('should not take another version than the one that is named', async () => {
    await define({ versions: ['v1beta1'] });
    await client.create(disk('v1beta1'));
    await serve('v1beta1', 'v1');
    await serve('v1');
    await expect(client.replace(disk('v1beta1'))).rejects.toThrow(UnknownResourceError);
    await expect(client.get('disks.v1beta1.example.com', 'a', { namespace: 'ns' })).rejects.toThrow(
      UnknownResourceError,
    );
    await expect(client.create(disk('v1beta1', 'b'))).rejects.toThrow(UnknownResourceError);
  });

  it('should tell that there is none any more, and find the one that is made anew', async () => {
    await define({ versions: ['v1'] });
    await client.create(disk('v1'));
    await remove();
    await expect(client.get('disks', 'a', { namespace: 'ns' })).rejects.toThrow(UnknownResourceError);
    await expect(client.get('disks', 'a', { namespace: 'ns' })).rejects.toThrow(UnknownResourceError);
    await define({ versions: ['v2'] });
    await client.create(disk('v2'));
    expect((await client.get('disks', 'a', { namespace: 'ns' })).apiVersion).toBe('example.com/v2');
  });

  it.each([
    ['Namespaced', 'Cluster'],
    ['Cluster', 'Namespaced'],
  ] as const)('should find a resource whose scope has changed from %s to %s', async (before, after) => {
    await define({ versions: ['v1'], scope: before });
    await client.create(disk('v1'));
    expect(await client.get('disks', 'a', { namespace: 'ns' })).toMatchObject({ metadata: { name: 'a' } });
    const { api } = harness.get<Objects>(Objects);
    await api.read({ ...disk('v1'), metadata: { name: 'a', namespace: 'ns' } } as any);
    await remove();
    await define({ versions: ['v1'], scope: after });
    await client.create(disk('v1'));
    const found = await client.get('disks', 'a', { namespace: 'ns' });
    expect(found.metadata.namespace).toBe(after === 'Namespaced' ? 'ns' : undefined);
    // The API for objects of any kind asks anew after it was told once.
    const read = () => api.read({ ...disk('v1'), metadata: { name: 'a', namespace: 'ns' } } as any);
    await read().catch(() => undefined);
    expect((await read()).metadata?.name).toBe('a');
  });

  it('should find a resource that has another name', async () => {
    await define({ versions: ['v1'] });
    await client.create(disk('v1'));
    await remove();
    await define({ versions: ['v1'], plural: 'drives' });
    await client.create(disk('v1'));
    expect((await client.list('Disk')).items).toHaveLength(1);
    expect(requests.at(-1)).toBe('GET /apis/example.com/v1/drives');
  });

  it('should not look up the resources again and again, however often something is not there', async () => {
    await define({ versions: ['v1'] });
    await client.create(disk('v1'));
    const before = scans();
    for (let second = 0; second < 300; second += 1) {
      // An object that does not exist, and a subresource that is not served.
      await expect(client.get('disks', 'nothing', { namespace: 'ns' })).rejects.toThrow('not found');
      await expect(client.get('disks', 'a', { namespace: 'ns', subresource: 'scale' })).rejects.toThrow('404');
      await harness.advance(1);
    }
    expect(scans() - before).toBeLessThan(12);
  });

  it('should go on watching', async () => {
    await define({ versions: ['v1beta1'] });
    await client.create(disk('v1beta1'));
    await client.create(disk('v1beta1', 'b'));
    const events: string[] = [];
    const controller = new AbortController();
    const watching = (async () => {
      for await (const { type, object } of client.watch('disks', { signal: controller.signal })) {
        events.push(`${type} ${object.apiVersion} ${object.metadata.name}`);
      }
    })();
    await harness.advance(5);
    expect(events.splice(0).sort()).toEqual(['null example.com/v1beta1 a', 'null example.com/v1beta1 b']);
    await serve('v1beta1', 'v1');
    await serve('v1');
    await client.delete('disks', 'b', { namespace: 'ns' });
    await harness.advance(60);
    await client.create(disk('v1', 'c'));
    await harness.advance(5);
    expect(events).toContain('ADDED example.com/v1 c');
    expect(events.filter((event) => event.startsWith('DELETED'))).toHaveLength(1);
    controller.abort();
    await watching;
  });

  it('should be found by the watchers of an operator that may not watch CRDs', async () => {
    const seen: string[] = [];
    class Handlers {
      @OnEvent('disks.example.com')
      note({ type, body }: EventContext) {
        seen.push(`${type} ${body.apiVersion} ${body.metadata.name}`);
      }
    }
    await define({ versions: ['v1beta1'] });
    await client.create(disk('v1beta1'));
    await harness.run(Handlers, {
      intercept: ({ path }) =>
        path.includes('customresourcedefinitions') ? errorResponse(403, 'Forbidden', 'no') : undefined,
    });
    await serve('v1beta1', 'v1');
    await serve('v1');
    await client.create(disk('v1', 'b'));
    await harness.advance(90);
    expect(seen).toContain('null example.com/v1beta1 a');
    expect(seen.some((line) => line.endsWith('example.com/v1 b'))).toBe(true);
  });
});
