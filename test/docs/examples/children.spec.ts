import type { KubeObject } from 'nestjs-kopf';
import { configMap, createChild } from '../../e2e/relations/relations.operator.js';
import { startWithDisks } from '../../support/operators/disks.js';
import {
  AdoptingOperator,
  ConfigurationOperator,
  PartOperator,
  prepare,
  release,
  SnapshotsOperator,
} from './children.example.js';

describe('The examples of hierarchies', () => {
  it('should adopt a child', async () => {
    const harness = await startWithDisks();
    await harness.run(AdoptingOperator);
    const { metadata } = await harness.create('a', { spec: { image: 'busybox' }, metadata: { labels: { app: 'x' } } });
    await harness.advance(1);
    const [job] = (await harness.send('GET', '/apis/batch/v1/namespaces/ns/jobs')).items as KubeObject[];
    expect(job.metadata.name).toMatch(/^a-/);
    expect(job.metadata.labels).toMatchObject({ app: 'x' });
    expect(job.spec.template.metadata.labels).toMatchObject({ app: 'x' });
    expect(job.metadata.ownerReferences).toMatchObject([{ kind: 'Disk', name: 'a', uid: metadata.uid }]);
    await harness.delete('a');
    await harness.advance(60);
    expect((await harness.send('GET', '/apis/batch/v1/namespaces/ns/jobs')).items).toEqual([]);
  });

  it('should do it step by step', () => {
    const owner = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'owner', uid: '1' } };
    const children: KubeObject[] = [{ kind: 'Job', metadata: {}, spec: { template: {} } }];
    prepare(owner, children);
    const reference = { apiVersion: 'v1', kind: 'ConfigMap', name: 'owner', uid: '1' };
    const labels = { app: 'web' };
    expect(children).toEqual([
      {
        kind: 'Job',
        metadata: {
          name: 'web',
          namespace: 'team-a',
          labels,
          ownerReferences: [{ ...reference, controller: false, blockOwnerDeletion: false }],
        },
        spec: { template: { metadata: { labels } } },
      },
    ]);
    release(owner, children);
    expect(children[0].metadata.ownerReferences).toEqual([]);
  });
});

describe('The examples of server-side apply', () => {
  it('should create, correct, and prune the children', async () => {
    const harness = await startWithDisks();
    await harness.run(SnapshotsOperator);
    await harness.create('a', { spec: { snapshots: { one: '1', two: '2' } } });
    await harness.advance(5);
    const textOf = async (name: string) => ((await harness.send('GET', configMap(name))).data as { text: string }).text;
    expect([await textOf('a-one'), await textOf('a-two')]).toEqual(['1', '2']);
    const { labels, annotations } = (await harness.object('a')).metadata;
    const { 'applyset.kubernetes.io/part-of': id } = (await harness.send('GET', configMap('a-one'))).metadata.labels!;
    expect(labels).toMatchObject({ 'applyset.kubernetes.io/id': id });
    expect(annotations).toMatchObject({ 'applyset.kubernetes.io/contains-group-kinds': 'ConfigMap' });

    await harness.send('PATCH', configMap('a-one'), { data: { text: 'drifted', own: 'x' } });
    await harness.send('DELETE', configMap('a-two'));
    await harness.advance(5);
    expect([await textOf('a-one'), await textOf('a-two')]).toEqual(['1', '2']);

    await harness.patch('a', { spec: { snapshots: { two: null } } });
    await harness.advance(5);
    await expect(textOf('a-two')).rejects.toThrow('404');
    expect(harness.logger.messages('log')).toContain('[ns/a] a-two is not wanted any more.');
    // Nothing is written any more.
    const { length } = harness.writes;
    await harness.advance(60);
    expect(harness.writes).toHaveLength(length);
  });
});

describe('The examples of children', () => {
  it('should summarize the children in the parent', async () => {
    const harness = await startWithDisks({ statusSubresource: true });
    await harness.run(ConfigurationOperator);
    const a = await harness.create('a', { spec: { parts: 2 } });
    await createChild(harness, 'x', a);
    await harness.advance(2);
    expect((await harness.object('a')).status).toMatchObject({
      keys: 0,
      conditions: [{ type: 'Ready', status: 'False' }, {}],
    });
    await createChild(harness, 'y', a);
    await harness.send('PATCH', configMap('y'), { data: { key: 'value' } });
    await harness.advance(2);
    expect((await harness.object('a')).status).toMatchObject({
      keys: 1,
      conditions: [{ type: 'Ready', status: 'True' }],
    });
  });

  it('should have the parent in the context of the child', async () => {
    const harness = await startWithDisks();
    await harness.run(PartOperator);
    const a = await harness.create('a', { spec: { parts: 2 } });
    await createChild(harness, 'x', a);
    await harness.advance(2);
    await harness.send('PATCH', configMap('x'), { data: { key: 'value' } });
    await harness.advance(2);
    expect(harness.logger.messages('log').join('\n')).toContain('x of a has another key; 2 parts are wanted.');
  });
});
