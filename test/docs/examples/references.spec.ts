import { startWithDisks } from '../../support/operators/disks.js';
import { RotationOperator, VolumesOperator } from './references.example.js';

describe('The examples of references', () => {
  it('should follow a secret', async () => {
    const harness = await startWithDisks({ statusSubresource: true });
    await harness.run(RotationOperator);
    await harness.create('a', { spec: { secretRef: { name: 's' } } });
    await harness.advance(2);
    expect((await harness.object('a')).status.conditions).toMatchObject([
      { type: 'ReferencesResolved', status: 'False', message: "spec.secretRef.name: there is no 's' of secrets" },
    ]);
    const { metadata } = await harness.send('POST', '/api/v1/namespaces/ns/secrets', { metadata: { name: 's' } });
    await harness.advance(2);
    const { secretVersion, conditions } = (await harness.object('a')).status;
    expect(secretVersion).toBe(metadata.resourceVersion);
    expect(conditions).toMatchObject([{ status: 'True' }]);
  });

  it('should follow lists and objects without namespaces', async () => {
    const harness = await startWithDisks();
    await harness.run(VolumesOperator);
    await harness.send('POST', '/api/v1/namespaces/ns/configmaps', { metadata: { name: 'c' } });
    await harness.create('a', { spec: { volumes: [{ configMap: 'c' }, { configMap: 'd' }], classRef: 'fast' } });
    await harness.advance(2);
    const path = '/apis/storage.k8s.io/v1/storageclasses';
    await harness.send('POST', path, { metadata: { name: 'fast' }, provisioner: 'example.com/p' });
    await harness.advance(2);
    const lines = harness.logger.messages('log').filter((line) => line.includes('are there'));
    expect(lines.map((line) => line.replace(/^.*?(\d of \d).*$/, '$1'))).toEqual(['1 of 3', '2 of 3']);
  });
});
