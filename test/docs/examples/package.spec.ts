import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { EmbeddedKube } from 'embedded-kube';
import { bundleProgram, type Bundle } from '../../support/programs/bundle.js';
import { TestProcess } from '../../support/programs/child.process.js';
import { eventually } from '../../support/time/eventually.js';

describe('The operator of the package page', () => {
  let folder: string;
  let kube: EmbeddedKube;
  let bundle: Bundle;

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'kopf-docs-'));
    kube = await EmbeddedKube.start();
    kube.writeKubeconfig(join(folder, 'kubeconfig.yaml'));
    bundle = await bundleProgram(join(import.meta.dirname, 'package.example.ts'));
  });

  afterAll(async () => {
    bundle.remove();
    await kube.stop();
    rmSync(folder, { recursive: true, force: true });
  });

  it('should run as it stands', async () => {
    const KUBECONFIG = join(folder, 'kubeconfig.yaml');
    const operator = new TestProcess(process.execPath, [bundle.path], { KUBECONFIG, NO_COLOR: '1' });
    const maps = { group: '', plural: 'configmaps' };
    await kube.client.create(maps, 'default', { metadata: { name: 'world', labels: { greet: 'yes' } } });
    await eventually('the greeting', () => {
      operator.check();
      return (kube.client.get(maps, 'default', 'world') as { data?: object }).data;
    });
    await operator.stop();
    expect(operator.output).toContain('[default/world] Hello, world of default!');
    expect(operator.output).toContain('The operator has stopped.');
  });
});
