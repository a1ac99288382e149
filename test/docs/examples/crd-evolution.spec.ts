import { customResourceDefinition } from 'nestjs-kopf/crd';
import { startWithDisks } from '../../support/operators/disks.js';
import { breakingChanges, Site, SiteOperator } from './crd-evolution.example.js';

describe('The examples of the evolution of CRDs', () => {
  it('should apply the CRD', async () => {
    const harness = await startWithDisks({ definition: false });
    await harness.run(SiteOperator, { crds: 'apply' });
    expect(harness.logger.messages('log')).toContain('The CRD sites.example.com is created.');
  });

  it('should find what breaks', () => {
    const released = customResourceDefinition(Site);
    expect(breakingChanges(released)).toEqual([]);
    const [version] = released.spec.versions;
    version.schema.openAPIV3Schema.properties!.spec.properties!.alias = { type: 'string' };
    expect(breakingChanges(released)).toEqual(['v1.spec.alias: existingFieldRemoval']);
  });
});
