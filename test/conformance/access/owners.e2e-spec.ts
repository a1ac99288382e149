import { EmbeddedKube } from 'embedded-kube';
import { startEmbeddedCluster } from '../test.cluster.js';
import { describeOwners, OWNER_PLUGIN } from './owners.suite.js';

describeOwners('owners of objects on embedded-kube', () =>
  startEmbeddedCluster({ authorization: 'rbac', enableAdmissionPlugins: [OWNER_PLUGIN] }),
);

it('should name a plugin that there is not', async () => {
  await expect(EmbeddedKube.start({ port: false, enableAdmissionPlugins: ['Nope'] })).rejects.toThrow(
    /The admission plugin Nope does not exist here; these do: .*OwnerReferencesPermissionEnforcement/,
  );
});
