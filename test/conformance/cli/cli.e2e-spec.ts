import { definePeering, define } from '../../support/clusters/cluster.access.js';
import { startEmbeddedCluster } from '../test.cluster.js';
import { describeCommands } from './cli.suite.js';

describeCommands('the commands on embedded-kube', async () => {
  const cluster = await startEmbeddedCluster();
  await define(cluster.user);
  await definePeering(cluster.user);
  return cluster;
});
