import { describeDepartures } from '../operator/departures.suite.js';
import { describeSelection } from '../operator/selection.suite.js';
import type { TestCluster } from '../operator/test.cluster.js';
import { administrator, credentialsOf } from './cluster.access.js';
import { startControlPlane } from './control-plane.js';

async function startCluster(): Promise<TestCluster> {
  const controlPlane = await startControlPlane();
  const user = administrator(controlPlane);
  return {
    credentials: credentialsOf(controlPlane),
    user,
    stop: async () => {
      await user.close();
      await controlPlane.stop();
    },
  };
}

describeSelection('the selection of resources and namespaces on a real control plane', startCluster);
describeDepartures('the selection of objects on a real control plane', startCluster);
