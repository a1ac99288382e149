import { BUILTIN_RESOURCES } from '../../../libs/embedded-kube/src/kinds/builtin-resources.data.js';
import { KnownResources } from '../../../libs/kopf/src/inspection/description/known.resources.js';

describe('The resources that are known without a cluster', () => {
  it('should be those that a real API server has before there are any CRDs, in the preferred versions', () => {
    const known = new KnownResources().all.map(({ verbs: _, ...resource }) => resource);
    const served = BUILTIN_RESOURCES.filter(({ preferred }) => preferred).map(({ verbs: _, ...resource }) => ({
      ...resource,
      subresources: resource.subresources.map(({ name }) => name),
    }));
    expect(known.length).toBeGreaterThan(50);
    expect(known).toEqual(served);
  });
});
