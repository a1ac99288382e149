import { Injectable } from '@nestjs/common';
import { adopt, KubeClient, OnCreate, OnDelete, OnUpdate, type ChangeContext, type KubeObject } from 'nestjs-kopf';
import { ClusterUser } from '../../support/clusters/cluster.user.js';
import { KEX, OperatorHarness } from '../../support/operators/operator.harness.js';

const EXAMPLES = '/apis/kopf.dev/v1/namespaces/ns/kopfexamples';
const MAPS = '/api/v1/namespaces/ns/configmaps';

describe('Server-side apply', () => {
  let harness: OperatorHarness;

  beforeEach(async () => {
    harness = await OperatorHarness.start();
  });

  it('should keep up a child beside what others say in it', async () => {
    @Injectable()
    class Operator {
      constructor(private readonly client: KubeClient) {}

      @OnCreate(...KEX)
      @OnUpdate(...KEX)
      async keep({ spec, name, namespace }: ChangeContext) {
        const head = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name, namespace } };
        await this.client.apply(adopt({ ...head, data: spec.data }), { fieldManager: 'operator', force: true });
      }
    }
    await harness.run(Operator);
    await harness.create('a', { spec: { data: { one: '1', two: '2' } } });
    await harness.advance(5);
    await harness.send('PATCH', `${MAPS}/a`, { data: { own: 'x', one: 'changed' } });
    await harness.patch('a', { spec: { data: { one: '3', two: null } } });
    await harness.advance(5);
    const child = (await harness.send('GET', `${MAPS}/a`)) as KubeObject & { data: object };
    expect(child.data).toEqual({ one: '3', own: 'x' });
    expect(child.metadata.ownerReferences).toMatchObject([{ kind: 'KopfExample', name: 'a' }]);
  });

  it('should leave what an operator keeps in an object that is applied again and again', async () => {
    const calls: string[] = [];
    class Operator {
      @OnCreate(...KEX)
      create({ patch }: ChangeContext) {
        calls.push('create');
        patch.status.created = true;
      }
      @OnUpdate(...KEX)
      update() {
        calls.push('update');
      }
      @OnDelete(...KEX)
      remove() {
        calls.push('delete');
      }
    }
    const apply = (spec: object): Promise<unknown> => {
      const body = { apiVersion: 'kopf.dev/v1', kind: 'KopfExample', metadata: { name: 'a' }, spec };
      return new ClusterUser(harness.kube.transport()).apply(`${EXAMPLES}/a?fieldManager=user`, body);
    };
    await harness.run(Operator);
    await apply({ field: '1' });
    await harness.advance(5);
    await apply({ field: '1' });
    await harness.advance(5);
    expect(calls).toEqual(['create']);
    await apply({ field: '2' });
    await harness.advance(5);
    await harness.delete('a');
    await harness.advance(5);
    expect(calls).toEqual(['create', 'update', 'delete']);
    expect(await harness.read('a')).toBeUndefined();
  });
});
