import { EmbeddedKube } from 'embedded-kube';
import { OnCreate, OnDelete, type ChangeContext, type KubeObject } from 'nestjs-kopf';
import { kopfMatchers, KopfTest } from 'nestjs-kopf/testing';
import { ClusterUser, customResource, DEFINITIONS } from '../../support/clusters/cluster.user.js';

expect.extend(kopfMatchers);

const example = { apiVersion: 'kopf.dev/v1', kind: 'KopfExample', metadata: { name: 'a' } };

class Operator {
  @OnCreate('kopfexamples')
  create({ patch, namespace }: ChangeContext) {
    patch.status.where = namespace;
  }

  @OnDelete('kopfexamples')
  remove() {}
}

describe('KopfTest on a cluster that others use, too', () => {
  let kube: EmbeddedKube;
  let user: ClusterUser;

  beforeEach(async () => {
    kube = await EmbeddedKube.start();
    user = new ClusterUser(kube.transport());
  });

  afterEach(() => kube.stop());

  const start = () =>
    KopfTest.create({ providers: [Operator], objects: customResource(), kubeconfig: kube.kubeconfig });

  it('should run each test in a namespace of its own, in real time', async () => {
    await using one = await start();
    await using other = await start();
    expect(one.namespace).toMatch(/^kopf-test-\w{8}$/);
    expect(other.namespace).not.toBe(one.namespace);
    const object = await one.apply(example);
    expect(object.metadata.namespace).toBe(one.namespace);
    expect(await one.handled(object)).toMatchObject({ status: { where: one.namespace } });
    expect(other.calls.all).toEqual([]);
    expect(() => one.kube).toThrow('The test runs on a real cluster');
    expect(() => one.virtualClock).toThrow('The test runs in real time.');
  });

  it('should leave nothing behind, though the operator was killed and its finalizers are there', async () => {
    const test = await start();
    await test.handled(await test.apply(example));
    const path = `/apis/kopf.dev/v1/namespaces/${test.namespace}/kopfexamples/a`;
    expect(await user.get(path)).toHaveFinalizer();
    test.kill();
    await test.close();
    expect(await user.get(`${DEFINITIONS}/kopfexamples.kopf.dev`)).toBeUndefined();
    expect(await user.get(path)).toBeUndefined();
    const { items } = (await user.get('/api/v1/namespaces')) as KubeObject & { items: KubeObject[] };
    expect(items.map(({ metadata }) => metadata.name)).not.toContain(test.namespace);
  });

  it('should leave what was there before', async () => {
    await user.create(DEFINITIONS, customResource());
    const test = await start();
    await test.close();
    expect(await user.get(`${DEFINITIONS}/kopfexamples.kopf.dev`)).toBeDefined();
  });
});
