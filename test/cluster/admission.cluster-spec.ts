import { describeAdmission } from '../support/admission.suite.js';
import { administrator, credentialsOf, define } from './cluster.access.js';
import { startControlPlane } from './control-plane.js';

describeAdmission('admission on a real control plane', async () => {
  const controlPlane = await startControlPlane({ controllers: false });
  const user = administrator(controlPlane);
  await define(user);
  return {
    credentials: credentialsOf(controlPlane),
    user,
    stop: async () => {
      await user.close();
      await controlPlane.stop();
    },
  };
});
