import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { EmbeddedKube } from 'embedded-kube';
import { startControlPlane } from '../../support/control-plane.js';
import { installPythonKopf } from '../../support/python.kopf.js';

const execute = promisify(execFile);

describe("Python's official client", () => {
  it('should see the same on both servers', async () => {
    const python = await installPythonKopf();
    const use = async (kubeconfig: string): Promise<string[]> => {
      const env = { ...process.env, KUBECONFIG: kubeconfig };
      const { stdout } = await execute(python, [join(import.meta.dirname, 'python_client.py')], { env });
      return stdout.trim().split('\n');
    };
    const folder = await mkdtemp(join(tmpdir(), 'clients-'));
    const kube = await EmbeddedKube.start();
    const cluster = await startControlPlane();
    try {
      kube.writeKubeconfig(join(folder, 'kubeconfig'));
      const lines = await use(join(folder, 'kubeconfig'));
      expect(lines).toHaveLength(11);
      expect(lines).toEqual(await use(cluster.kubeconfigPath));
    } finally {
      await Promise.all([kube.stop(), cluster.stop(), rm(folder, { recursive: true })]);
    }
  });
});
