import { EmbeddedKube } from 'embedded-kube';
import { describeAdmission } from './admission.suite.js';
import { ClusterUser } from '../../support/cluster.user.js';
import { customResource, DEFINITIONS } from '../../support/definitions.js';
import { eventually } from '../../support/eventually.js';

describeAdmission('admission on embedded-kube over HTTPS', async () => {
  const kube = await EmbeddedKube.start();
  const user = new ClusterUser(kube.transport());
  await user.create(DEFINITIONS, customResource());
  await eventually('the resource is served', async () => (await user.discover()).includes('kopf.dev/v1/kopfexamples'));
  return {
    credentials: { server: kube.url, caData: kube.caCertificate, token: kube.token },
    user,
    stop: () => kube.stop(),
  };
});
