import { readFileSync } from 'node:fs';
import { describeKubeconfigFields } from '../e2e/client/kubeconfig-fields.suite.js';
import { startControlPlane } from '../support/clusters/control-plane.js';

describeKubeconfigFields('A kubeconfig, as kubectl takes it on a real API server', async () => {
  const { kubeconfigPath, token, stop } = await startControlPlane({ controllers: false });
  return { kubeconfig: readFileSync(kubeconfigPath, 'utf8'), token, stop };
});
