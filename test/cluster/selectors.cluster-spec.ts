import { describeSelection } from '../operator/selection.suite.js';
import { administrator, credentialsOf } from './cluster.access.js';
import { startControlPlane } from './control-plane.js';

describeSelection('the selection of resources and namespaces on a real control plane', async () => {
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
});
