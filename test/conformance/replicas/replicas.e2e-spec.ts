import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { EmbeddedKube } from 'embedded-kube';
import { bundleProgram, type Bundle } from '../../support/programs/bundle.js';
import { ClusterUser, customResource, DEFINITIONS } from '../../support/clusters/cluster.user.js';
import { definePeering } from '../../support/clusters/cluster.access.js';
import { describeFreezing } from './freezing.suite.js';

let bundle: Bundle;
let kube: EmbeddedKube;
let user: ClusterUser;
let folder: string;

beforeAll(async () => {
  bundle = await bundleProgram(join(import.meta.dirname, 'fixtures/replica.operator.ts'));
  folder = mkdtempSync(join(tmpdir(), 'freeze-'));
  kube = await EmbeddedKube.start();
  kube.writeKubeconfig(join(folder, 'kubeconfig'));
  user = new ClusterUser(kube.transport());
  await user.create(DEFINITIONS, customResource());
  await definePeering(user);
}, 120_000);

afterAll(async () => {
  await kube?.stop();
  bundle?.remove();
  if (folder) rmSync(folder, { recursive: true, force: true });
});

describeFreezing(() => ({ user, program: bundle.path, kubeconfig: join(folder, 'kubeconfig') }));
