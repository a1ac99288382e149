import { KubeClient, type KubeObject, type KubeRequest } from 'nestjs-kopf';
import { applySetId } from '../../../libs/kopf/src/client/apply.set.js';
import { errorResponse, OperatorHarness } from '../../support/operators/operator.harness.js';

const OPTIONS = { fieldManager: 'tests' };

describe('KubeClient.applySet()', () => {
  let harness: OperatorHarness;
  let client: KubeClient;
  let parent: KubeObject;
  let isBroken = false;

  const object = (kind: string, name: string, namespace?: string): KubeObject => ({
    apiVersion: 'v1',
    kind,
    metadata: { name, namespace },
  });
  const namesOf = (objects: readonly KubeObject[]) => objects.map(({ kind, metadata }) => `${kind} ${metadata.name}`);
  const exists = (path: string) =>
    harness.send('GET', `/api/v1/namespaces/${path}`).then(
      () => true,
      () => false,
    );

  beforeEach(async () => {
    isBroken = false;
    const intercept = ({ method, path }: KubeRequest) =>
      isBroken && method === 'PATCH' && path.includes('/configmaps/broken')
        ? errorResponse(403, 'Forbidden', 'configmaps is forbidden')
        : undefined;
    harness = await OperatorHarness.start();
    await harness.run([], { intercept });
    client = harness.get(KubeClient);
    parent = await harness.create('a');
  });

  it('should have the id that kubectl computes', () => {
    const id = applySetId({ name: 'my-set', namespace: 'test', kind: 'Secret', group: '' });
    expect(id).toBe('applyset-0eFHV8ySqp7XoShsGvyWFQD3s96yqwHmzc4e0HR1dsY-v1');
  });

  it('should prune in all kinds and namespaces, and nothing that others have', async () => {
    const wide = [object('ConfigMap', 'x'), object('ConfigMap', 'y', 'other'), object('Secret', 's')];
    expect(namesOf((await client.applySet(parent, wide, OPTIONS)).applied)).toEqual([
      'ConfigMap x',
      'ConfigMap y',
      'Secret s',
    ]);
    const { annotations } = (await harness.object('a')).metadata;
    expect(annotations).toMatchObject({
      'applyset.kubernetes.io/tooling': 'tests/v1',
      'applyset.kubernetes.io/contains-group-kinds': 'ConfigMap,Secret',
      'applyset.kubernetes.io/additional-namespaces': 'other',
    });
    await harness.send('POST', '/api/v1/namespaces/ns/configmaps', { metadata: { name: 'foreign' } });
    const { pruned } = await client.applySet(parent, [object('ConfigMap', 'x')], OPTIONS);
    expect(namesOf(pruned).sort()).toEqual(['ConfigMap y', 'Secret s']);
    expect(await exists('ns/configmaps/foreign')).toBe(true);
    expect((await harness.object('a')).metadata.annotations).not.toHaveProperty([
      'applyset.kubernetes.io/additional-namespaces',
    ]);
    await client.applySet(parent, [], OPTIONS);
    expect(await exists('ns/configmaps/x')).toBe(false);
  });

  it('should prune nothing if something could not be applied, and find everything the next time', async () => {
    await client.applySet(parent, [object('ConfigMap', 'x')], OPTIONS);
    isBroken = true;
    const next = [object('Secret', 's'), object('ConfigMap', 'broken')];
    await expect(client.applySet(parent, next, OPTIONS)).rejects.toThrow('forbidden');
    expect([await exists('ns/configmaps/x'), await exists('ns/secrets/s')]).toEqual([true, true]);
    const { pruned } = await client.applySet(parent, [], OPTIONS);
    expect(namesOf(pruned).sort()).toEqual(['ConfigMap x', 'Secret s']);
  });

  it('should leave alone the set of another parent that was made anew under the same name', async () => {
    await client.applySet(parent, [object('ConfigMap', 'x')], OPTIONS);
    await harness.delete('a');
    const next = await harness.create('a');
    await client.applySet(next, [object('ConfigMap', 'y')], OPTIONS);
    await expect(client.applySet(parent, [object('ConfigMap', 'z')], OPTIONS)).rejects.toThrow(
      'KopfExample a was made anew',
    );
    expect([await exists('ns/configmaps/y'), await exists('ns/configmaps/z')]).toEqual([true, false]);
  });

  it('should not make parents of the members that have got the labels of theirs', async () => {
    await client.applySet(parent, [], OPTIONS);
    const { labels } = (await harness.object('a')).metadata;
    expect(labels).toHaveProperty(['applyset.kubernetes.io/id']);
    const child = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'x', labels: { ...labels, own: 'yes' } } };
    const [applied] = (await client.applySet(parent, [child], OPTIONS)).applied;
    expect(Object.keys(applied.metadata.labels ?? {}).sort()).toEqual(['applyset.kubernetes.io/part-of', 'own']);
  });

  it('should refuse the set of another tool', async () => {
    await client.applySet(parent, [], { ...OPTIONS, tooling: 'kubectl/v1.36' });
    await expect(client.applySet(parent, [], OPTIONS)).rejects.toThrow('belongs to kubectl/v1.36, and not to tests/v1');
    await client.applySet(parent, [], { ...OPTIONS, tooling: 'kubectl/v1.37' });
  });
});
