import { EmbeddedKube } from 'embedded-kube';
import { ClusterUser } from '../../support/cluster.user.js';
import { describeIntegers } from './integers.suite.js';
import { describeServedIntegers } from './served-integers.suite.js';
import type { TestCluster } from '../test.cluster.js';

async function start(): Promise<TestCluster> {
  const kube = await EmbeddedKube.start();
  return {
    credentials: { server: kube.url, caData: kube.caCertificate, token: kube.token },
    user: new ClusterUser(kube.transport()),
    stop: () => kube.stop(),
  };
}

describeServedIntegers('integers of embedded-kube', start);
describeIntegers('integers of an operator on embedded-kube', start);
