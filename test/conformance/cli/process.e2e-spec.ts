import { definePeering, define } from '../../support/clusters/cluster.access.js';
import { startEmbeddedCluster } from '../test.cluster.js';
import { describeProcesses } from './process.suite.js';

describeProcesses('the commands as processes on embedded-kube', async () => {
  const cluster = await startEmbeddedCluster({ authorization: 'rbac' });
  await define(cluster.user);
  await definePeering(cluster.user);
  return cluster;
});
