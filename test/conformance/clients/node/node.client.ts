import { join } from 'node:path';
import { type Client, output } from '../client.js';

/** Kubernetes' official client for Node.js, with its informer. It is among the packages of the repository. */
export const node: Client = {
  name: 'node',
  prepare: () =>
    Promise.resolve(async (kubeconfig) => {
      const program = join(import.meta.dirname, 'node_client.mjs');
      return (await output(process.execPath, [program], { env: { KUBECONFIG: kubeconfig } })).trim().split('\n');
    }),
};
