import { EmbeddedKube } from 'embedded-kube';
import { ClusterUser } from '../../support/clusters/cluster.user.js';
import { describeBinaryData } from './binary-data.suite.js';

describeBinaryData('binary data on embedded-kube', async () => {
  const kube = await EmbeddedKube.start();
  return {
    credentials: { server: kube.url, caData: kube.caCertificate, token: kube.token },
    user: new ClusterUser(kube.transport()),
    stop: () => kube.stop(),
  };
});
