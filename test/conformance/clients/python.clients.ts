import { join } from 'node:path';
import { installedPythonKopf, installPythonKopf } from '../../support/operators/python.kopf.js';
import { type Client, output } from './client.js';

/** Programs in Python: the official client, and an operator of Kopf with all kinds of handlers. */
export const pythonClients: readonly Client[] = [
  ['python', 'python_client.py'],
  ['kopf', 'kopf/kopf_client.py'],
].map(([name, file]) => ({
  name,
  async prepare(isAllowed) {
    const python = isAllowed ? await installPythonKopf() : await installedPythonKopf();
    if (!python) return 'Python’s Kopf is not in the cache';
    return async (kubeconfig) => {
      const printed = await output(python, [join(import.meta.dirname, file)], { env: { KUBECONFIG: kubeconfig } });
      return printed.trim().split('\n');
    };
  },
}));
