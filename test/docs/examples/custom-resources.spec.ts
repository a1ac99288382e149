import type { ObjectClass } from 'nestjs-kopf';
import { CustomResource, customResourceDefinition } from 'nestjs-kopf/crd';
import { DEFINITIONS } from '../../support/clusters/cluster.user.js';
import { startWithDisks } from '../../support/operators/disks.js';
import {
  costs,
  definition,
  DiskOperator,
  MachineSpec,
  RangeSpec,
  ShareOperator,
  versions,
} from './custom-resources.example.js';

const DISKS = '/apis/example.com/v1/namespaces/ns/disks';

function crdOf(kind: string, spec: ObjectClass) {
  @CustomResource({ group: 'example.com', kind, spec })
  class Example {}
  return customResourceDefinition(Example);
}

describe('The examples of custom resources', () => {
  it('should be CRDs that the API server accepts', async () => {
    const harness = await startWithDisks({ definition: false });
    for (const crd of [versions, crdOf('Machine', MachineSpec), crdOf('Range', RangeSpec)]) {
      await harness.send('POST', DEFINITIONS, crd);
    }
    const post = (kind: string, spec: object) =>
      harness.send('POST', `/apis/example.com/v1/namespaces/ns/${kind.toLowerCase()}s`, {
        apiVersion: 'example.com/v1',
        kind,
        metadata: { name: 'a' },
        spec,
      });
    await expect(post('Range', { min: 2, max: 1, secret: 'a', zone: 'b' })).rejects.toThrow(
      'min must not be above max',
    );
    await expect(post('Range', { min: 1, max: 1, zone: 'b' })).rejects.toThrow('exactly one of the fields');
    await post('Range', { min: 1, max: 2, secret: 'a', zone: 'b' });
    const mounts = [{ name: 'a', path: '/a' }];
    await post('Machine', { zone: 'a', tags: { b: 'c' }, port: 'http', note: null, mounts });
    const twice = { zone: 'a', tags: {}, port: 1, note: 'b', mounts: [...mounts, ...mounts] };
    await expect(post('Machine', twice)).rejects.toThrow('Duplicate value');
  });

  it('should be checked without an API server', async () => {
    expect(await costs).toEqual([]);
  });

  it('should have handlers called', async () => {
    const harness = await startWithDisks({ definition: false });
    await harness.run(DiskOperator, { crds: 'apply' });
    const disk = { apiVersion: 'example.com/v1', kind: 'Disk', metadata: { name: 'a' }, spec: { size: '1Gi' } };
    await harness.send('POST', DISKS, disk);
    await harness.advance(1);
    expect(harness.logger.messages('log')).toContain('[ns/a] 1 of 1Gi');
    expect(definition.spec.names.shortNames).toEqual(['dk']);
  });

  it('should have a CRD of a schema of Zod', async () => {
    const harness = await startWithDisks({ definition: false });
    await harness.run(ShareOperator, { crds: 'apply' });
    const share = (spec: object) => ({ apiVersion: 'example.com/v1', kind: 'Share', metadata: { name: 'a' }, spec });
    const shares = DISKS.replace('disks', 'shares');
    await expect(harness.send('POST', shares, share({ size: 5 }))).rejects.toThrow('spec.size');
    await harness.send('POST', shares, share({ size: '1Gi' }));
    await harness.advance(1);
    expect(harness.logger.messages('log')).toContain('[ns/a] 1Gi by nfs');
  });
});
