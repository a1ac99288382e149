import { customResourceDefinition } from 'nestjs-kopf/crd';
import { startWithDisks } from '../../support/operators/disks.js';
import { breakingChanges, Disk, DiskOperator } from './crd-evolution.example.js';

describe('The examples of the evolution of CRDs', () => {
  it('should apply the CRD', async () => {
    const harness = await startWithDisks({ definition: false });
    await harness.run(DiskOperator, { crds: 'apply' });
    expect(harness.logger.messages('log')).toContain('The CRD disks.example.com is created.');
  });

  it('should find what breaks', () => {
    const released = customResourceDefinition(Disk);
    expect(breakingChanges(released)).toEqual([]);
    const [version] = released.spec.versions;
    version.schema.openAPIV3Schema.properties!.spec.properties!.alias = { type: 'string' };
    expect(breakingChanges(released)).toEqual(['v1.spec.alias: existingFieldRemoval']);
  });
});
