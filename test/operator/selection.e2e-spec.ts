import { EmbeddedKube } from 'embedded-kube';
import { ClusterUser } from '../support/cluster.user.js';
import { describeSelection } from './selection.suite.js';

describeSelection('the selection of resources and namespaces on embedded-kube', async () => {
  const kube = await EmbeddedKube.start();
  return {
    credentials: { server: kube.url, caData: kube.caCertificate, token: kube.token },
    user: new ClusterUser(kube.transport()),
    stop: () => kube.stop(),
  };
});
