import { describeOperator } from '../operator/operator.suite.js';
import { administrator, credentialsOf } from './cluster.access.js';
import { startControlPlane } from './control-plane.js';

describeOperator('an operator on a real control plane', async () => {
  const controlPlane = await startControlPlane({ controllers: false });
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
