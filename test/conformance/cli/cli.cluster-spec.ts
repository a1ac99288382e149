import { define, definePeering, startTestCluster } from '../../support/clusters/cluster.access.js';
import { describeCommands } from './cli.suite.js';

describeCommands('the commands on a real control plane', async () => {
  const cluster = await startTestCluster({ controllers: false });
  await define(cluster.user);
  await definePeering(cluster.user);
  return cluster;
});
