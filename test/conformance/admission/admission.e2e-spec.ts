import { customResource, DEFINITIONS } from '../../support/clusters/cluster.user.js';
import { eventually } from '../../support/time/eventually.js';
import { startEmbeddedCluster } from '../test.cluster.js';
import { describeAdmission } from './admission.suite.js';

describeAdmission('admission on embedded-kube over HTTPS', async () => {
  const cluster = await startEmbeddedCluster();
  const { user } = cluster;
  await user.create(DEFINITIONS, customResource());
  await eventually('the resource is served', async () => (await user.discover()).includes('kopf.dev/v1/kopfexamples'));
  return cluster;
});
