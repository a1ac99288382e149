import { describeAdmission } from './admission.suite.js';
import { define, startTestCluster } from '../../support/clusters/cluster.access.js';

describeAdmission('admission on a real control plane', async () => {
  const cluster = await startTestCluster({ controllers: false });
  await define(cluster.user);
  return cluster;
});
