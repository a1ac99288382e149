import { EmbeddedKube } from 'embedded-kube';
import { ClusterUser } from '../../support/cluster.user.js';
import { describeDepartures } from './object-selection.suite.js';
import { describeSelection } from './resource-selection.suite.js';
import type { TestCluster } from '../test.cluster.js';

async function startCluster(): Promise<TestCluster> {
  const kube = await EmbeddedKube.start();
  return {
    credentials: { server: kube.url, caData: kube.caCertificate, token: kube.token },
    user: new ClusterUser(kube.transport()),
    stop: () => kube.stop(),
  };
}

describeSelection('the selection of resources and namespaces on embedded-kube', startCluster);
describeDepartures('the selection of objects on embedded-kube', startCluster);
