import { cpSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { generateManifests, ManifestFolder } from 'nestjs-kopf/manifests';
import { APPS, type App } from './apps.js';

const K8S = join(import.meta.dirname, '../../../k8s');
const FILE = 'deployment.yaml';

async function generate({ createModule, options }: App): Promise<string> {
  const { files } = await generateManifests(createModule(), options);
  return files[FILE];
}

describe('The deployments of the applications', () => {
  it.each(['ephemeral-volume-claims', 'load-tests'])('should be generated: %s', async (name) => {
    await expect(await generate(APPS[name])).toMatchFileSnapshot(join(K8S, name, FILE));
  });

  it('should be generated, and keep what a person has added: inventory-api', async () => {
    const generated = await generate(APPS['inventory-api']);
    await expect(generated).toMatchFileSnapshot(join(K8S, 'inventory-api/.kopf-manifests', FILE));
    const copy = mkdtempSync(join(tmpdir(), 'inventory-'));
    onTestFinished(() => rmSync(copy, { recursive: true }));
    cpSync(join(K8S, 'inventory-api'), copy, { recursive: true });
    const edited = readFileSync(join(copy, FILE), 'utf8');
    expect(new ManifestFolder(copy).write({ [FILE]: generated })).toEqual({ [FILE]: 'unchanged' });
    // The next version of the application has another image.
    const next = generated.replace('inventory-api:latest', 'inventory-api:2.0');
    expect(new ManifestFolder(copy).write({ [FILE]: next })).toEqual({ [FILE]: 'merged' });
    expect(readFileSync(join(copy, FILE), 'utf8')).toBe(edited.replace('inventory-api:latest', 'inventory-api:2.0'));
  });
});
