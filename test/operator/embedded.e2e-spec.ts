import { EmbeddedKube } from 'embedded-kube';
import { ClusterUser } from '../support/cluster.user.js';
import { describeOperator } from './operator.suite.js';

describeOperator('an operator on embedded-kube over HTTPS', async () => {
  const kube = await EmbeddedKube.start();
  return {
    credentials: { server: kube.url, caData: kube.caCertificate, token: kube.token },
    user: new ClusterUser(kube.transport()),
    stop: () => kube.stop(),
  };
});
