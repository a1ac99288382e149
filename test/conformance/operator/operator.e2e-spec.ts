import { EmbeddedKube } from 'embedded-kube';
import { ClusterUser } from '../../support/cluster.user.js';
import { describeOperator } from './operator.suite.js';
import { describeParity } from './parity.suite.js';
import type { TestCluster } from '../test.cluster.js';

async function startCluster(): Promise<TestCluster> {
  const kube = await EmbeddedKube.start();
  return {
    credentials: { server: kube.url, caData: kube.caCertificate, token: kube.token },
    user: new ClusterUser(kube.transport()),
    stop: () => kube.stop(),
  };
}

describeOperator('an operator on embedded-kube over HTTPS', startCluster);
describeParity("an operator with Kopf's behaviour on embedded-kube over HTTPS", startCluster);
