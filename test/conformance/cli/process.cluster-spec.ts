import { define, definePeering, startTestCluster } from '../../support/clusters/cluster.access.js';
import { describeProcesses } from './process.suite.js';

describeProcesses('the commands as processes on a real control plane', async () => {
  const cluster = await startTestCluster({ controllers: false });
  await define(cluster.user);
  await definePeering(cluster.user);
  return cluster;
});
