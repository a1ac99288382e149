import type { KubeObject } from 'nestjs-kopf';
import { OperatorHarness } from '../../support/operators/operator.harness.js';
import { AdoptingOperator, prepare, release } from './hierarchies.example.js';

describe('The examples of hierarchies', () => {
  it('should adopt a child', async () => {
    const harness = await OperatorHarness.start();
    await harness.run(AdoptingOperator);
    const { metadata } = await harness.create('a', { spec: { image: 'busybox' }, metadata: { labels: { app: 'x' } } });
    await harness.advance(1);
    const [job] = (await harness.send('GET', '/apis/batch/v1/namespaces/ns/jobs')).items as KubeObject[];
    expect(job.metadata.name).toMatch(/^a-/);
    expect(job.metadata.labels).toMatchObject({ app: 'x' });
    expect(job.spec.template.metadata.labels).toMatchObject({ app: 'x' });
    expect(job.metadata.ownerReferences).toMatchObject([{ kind: 'KopfExample', name: 'a', uid: metadata.uid }]);
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
