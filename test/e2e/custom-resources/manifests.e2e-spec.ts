import { customResourceDefinition, customResourceDefinitions, type CustomResourceDefinition } from 'nestjs-kopf/crd';
import { EphemeralVolumeClaim } from '../../../apps/ephemeral-volume-claims/src/claims/claim.js';
import { KopfExample } from '../../../apps/gallery/src/kopf-example.js';
import { InventoryItem } from '../../../apps/inventory-api/src/operator/inventory-item.js';
import { LoadTestResource } from '../../../apps/load-tests/src/load-tests/load-test.js';
import { SimpleDeployment } from '../../../apps/load-tests/src/simple-deployments/simple-deployment.js';
import { readManifests } from '../../support/clusters/manifests.js';
import { OperatorHarness } from '../../support/operators/operator.harness.js';

const CLAIMS = '/apis/kopf.dev/v1/namespaces/ns/ephemeralvolumeclaims';

const byName = (one: CustomResourceDefinition, other: CustomResourceDefinition) =>
  one.metadata.name < other.metadata.name ? -1 : 1;

describe('The CRDs of the applications', () => {
  it.each([
    ['ephemeral-volume-claims/crd.yaml', [EphemeralVolumeClaim]],
    ['gallery/crd.yaml', [KopfExample]],
    ['inventory-api/crd.yaml', [InventoryItem]],
    ['load-tests/crds.yaml', [LoadTestResource, SimpleDeployment]],
  ])('should be those of their classes: %s', (file, types) => {
    const stored = readManifests(file) as unknown as CustomResourceDefinition[];
    expect(stored.sort(byName)).toEqual(customResourceDefinitions(types));
  });

  it('should have the API server refuse what the classes refuse', async () => {
    const harness = await OperatorHarness.start({ definition: false });
    const definition = customResourceDefinition(EphemeralVolumeClaim);
    await harness.send('POST', '/apis/apiextensions.k8s.io/v1/customresourcedefinitions', definition);
    const claim = (spec: object) => ({
      apiVersion: 'kopf.dev/v1',
      kind: 'EphemeralVolumeClaim',
      metadata: { name: 'a' },
      spec,
    });
    await expect(harness.send('POST', CLAIMS, claim({ size: 5 }))).rejects.toThrow(
      'spec.size: Invalid value: \\"integer\\"',
    );
    await expect(harness.send('POST', CLAIMS, claim({ waitAtMost: -1 }))).rejects.toThrow('spec.waitAtMost');
    const { spec } = await harness.send('POST', CLAIMS, claim({ size: '1Gi', sise: '2Gi' }));
    expect(spec).toEqual({ size: '1Gi' });
  });
});
