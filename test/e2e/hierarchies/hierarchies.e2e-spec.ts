import { V1Deployment, V1Job, V1ObjectMeta, V1Pod } from '@kubernetes/client-node';
import {
  adjustNamespace,
  adopt,
  appendOwnerReference,
  harmonizeNaming,
  KubeClient,
  label,
  OnCreate,
  removeOwnerReference,
  type AdoptOptions,
  type ChangeContext,
} from 'nestjs-kopf';
import { Deployment } from 'kubernetes-models/apps/v1/Deployment';
import { Pod } from 'kubernetes-models/v1/Pod';
import { KEX, OperatorHarness } from '../../support/operators/operator.harness.js';

/** Returns the objects after the action, which runs in a handler of an object `a` in `ns` with the label `somelabel`. */
async function within<T>(act: (context: ChangeContext) => T): Promise<{ result: T; owner: object; uid: string }> {
  let result: T;
  class Operator {
    @OnCreate(...KEX)
    async create(context: ChangeContext) {
      // The handled object must be known also after an `await`.
      await Promise.resolve();
      result = act(context);
    }
  }
  const harness = await OperatorHarness.start();
  await harness.run(Operator);
  const { metadata } = await harness.create('a', { spec: {}, metadata: { labels: { somelabel: 'somevalue' } } });
  await harness.advance(1);
  const uid = metadata.uid!;
  const reference = { apiVersion: 'kopf.dev/v1', kind: 'KopfExample', name: 'a', uid };
  return { result: result!, owner: { controller: true, blockOwnerDeletion: true, ...reference }, uid };
}

describe('Adopting in a handler', () => {
  it('should take the name, the namespace, the labels, and the reference from the object that is being handled', async () => {
    const { result, owner } = await within(() => adopt([{ kind: 'Job' }, { kind: 'Deployment' }]));
    const metadata = {
      ownerReferences: [owner],
      generateName: 'a-',
      namespace: 'ns',
      labels: { somelabel: 'somevalue' },
    };
    expect(result).toEqual([
      { kind: 'Job', metadata },
      { kind: 'Deployment', metadata },
    ]);
  });

  it.each<[string, AdoptOptions, object]>([
    ['nothing forced', {}, { name: 'own', namespace: 'own', labels: { somelabel: 'own' } }],
    ['all forced', { forced: true }, { generateName: 'a-', namespace: 'ns', labels: { somelabel: 'somevalue' } }],
    [
      'all forced and strict',
      { forced: true, strict: true },
      { name: 'a', namespace: 'ns', labels: { somelabel: 'somevalue' } },
    ],
  ])('should respect what is there: %s', async (_, options, expected) => {
    const { result } = await within(() =>
      adopt({ metadata: { name: 'own', namespace: 'own', labels: { somelabel: 'own' } } }, options),
    );
    const { ownerReferences, ...rest } = result.metadata as Record<string, unknown>;
    expect(rest).toEqual(expected);
    expect(ownerReferences).toHaveLength(1);
  });

  it('should know typed models of a client library', async () => {
    const { result, owner } = await within(() => {
      const pod = new V1Pod();
      const deployment = new V1Deployment();
      deployment.metadata = new V1ObjectMeta();
      deployment.metadata.name = 'web';
      deployment.spec = { selector: {}, template: { spec: { containers: [] } } };
      const job = new V1Job();
      adopt(pod);
      adopt([deployment, job], { nested: 'spec.template' });
      return { pod, deployment, job };
    });
    const labels = { somelabel: 'somevalue' };
    expect(result.pod).toBeInstanceOf(V1Pod);
    expect(result.pod.metadata).toEqual({ generateName: 'a-', namespace: 'ns', labels, ownerReferences: [owner] });
    expect(result.deployment.metadata).toBeInstanceOf(V1ObjectMeta);
    expect({ ...result.deployment.metadata }).toEqual({
      name: 'web',
      namespace: 'ns',
      labels,
      ownerReferences: [owner],
    });
    expect(result.deployment.spec?.template.metadata).toEqual({ labels });
    expect(result.job.spec).toBeUndefined();
  });

  it('should know the classes of kubernetes-models, which are valid afterwards', async () => {
    const { result, owner } = await within(() => {
      const pod = new Pod({ spec: { containers: [{ name: 'main', image: 'busybox' }] } });
      const template = { spec: { containers: [{ name: 'main', image: 'busybox' }] } };
      const selector = { matchLabels: { somelabel: 'somevalue' } };
      const deployment = new Deployment({ metadata: { name: 'web' }, spec: { selector, template } });
      adopt([pod, deployment], { nested: 'spec.template' });
      return { pod, deployment };
    });
    const labels = { somelabel: 'somevalue' };
    const common = { namespace: 'ns', labels, ownerReferences: [owner] };
    expect(result.pod).toBeInstanceOf(Pod);
    expect(result.pod.metadata).toEqual({ generateName: 'a-', ...common });
    expect(result.deployment.metadata).toEqual({ name: 'web', ...common });
    expect(result.deployment.spec?.template.metadata).toEqual({ labels });
    expect(() => result.pod.validate()).not.toThrow();
    expect(() => result.deployment.validate()).not.toThrow();
    expect(JSON.parse(JSON.stringify(result.pod))).toMatchObject({ apiVersion: 'v1', kind: 'Pod', metadata: common });
  });

  it('should be possible for each part on its own', async () => {
    const { result, owner } = await within(({ uid }) => {
      const labelled = {};
      label(labelled);
      const named = {};
      harmonizeNaming(named);
      const placed = {};
      adjustNamespace(placed);
      const owned = {};
      appendOwnerReference(owned);
      const released = { metadata: { ownerReferences: [{ uid }, { uid: 'other' }] } };
      removeOwnerReference(released);
      return { labelled, named, placed, owned, released };
    });
    expect(result.labelled).toEqual({ metadata: { labels: { somelabel: 'somevalue' } } });
    expect(result.named).toEqual({ metadata: { generateName: 'a-' } });
    expect(result.placed).toEqual({ metadata: { namespace: 'ns' } });
    expect(result.owned).toEqual({ metadata: { ownerReferences: [owner] } });
    expect(result.released.metadata.ownerReferences.map((reference) => reference.uid)).toEqual(['other']);
  });
});

describe('Adopted objects', () => {
  it('should be deleted with their owner', async () => {
    const harness = await OperatorHarness.start();
    class Operator {
      constructor(readonly client: KubeClient) {}
      @OnCreate(...KEX)
      async create() {
        const map = adopt({ apiVersion: 'v1', kind: 'ConfigMap', data: { k: 'v' } });
        await harness.send('POST', '/api/v1/namespaces/ns/configmaps', map);
      }
    }
    Reflect.defineMetadata('design:paramtypes', [KubeClient], Operator);
    await harness.run(Operator);
    await harness.create('a');
    await harness.advance(5);
    const list = async (): Promise<string[]> =>
      ((await harness.send('GET', '/api/v1/namespaces/ns/configmaps')).items as { metadata: { name: string } }[])
        .map(({ metadata }) => metadata.name)
        .filter((name) => name.startsWith('a-'));
    expect(await list()).toHaveLength(1);
    await harness.delete('a');
    await harness.advance(60);
    expect(await list()).toEqual([]);
  });
});
