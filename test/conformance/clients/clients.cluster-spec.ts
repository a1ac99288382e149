import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { EmbeddedKube } from 'embedded-kube';
import { type ControlPlane, startControlPlane } from '../../support/clusters/control-plane.js';
import { CLIENTS } from './clients.js';

/** A sample that takes seconds; `npm run test:clients` runs all clients. */
const SAMPLE = ['go-calls', 'go-informers', 'python'];

describe('Clients that others wrote', () => {
  let folder: string;
  let kube: EmbeddedKube;
  let cluster: ControlPlane;

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'clients-'));
    kube = await EmbeddedKube.start({ authorization: 'rbac', pods: { events: true } });
    kube.writeKubeconfig(join(folder, 'kubeconfig'));
    cluster = await startControlPlane({ node: true });
  });
  afterAll(async () => {
    await Promise.all([kube.stop(), cluster.stop(), rm(folder, { recursive: true })]);
  });

  it.for(SAMPLE)('should see the same on both servers: %s', async (name, { skip }) => {
    const client = CLIENTS.find((each) => each.name === name)!;
    // Only Python's packages are small enough to be installed for a test.
    const run = await client.prepare(name === 'python');
    if (typeof run === 'string') {
      console.warn(`${name} is skipped, as ${run}: npm run test:clients gets it ready.`);
      return skip();
    }
    const lines = await run(join(folder, 'kubeconfig'));
    expect(lines.length).toBeGreaterThan(10);
    expect(lines).toEqual(await run(cluster.kubeconfigPath));
  });
});
