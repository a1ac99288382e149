import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { generateManifests, ManifestFolder } from 'nestjs-kopf-cli';
import { APPS, EXHIBITS, type App } from './apps.js';

const K8S = join(import.meta.dirname, '../../../k8s');
const FILE = 'deployment.yaml';
const GALLERY = join(K8S, 'gallery/deployments');

async function generate({ createModule, options }: App): Promise<string> {
  const { files } = await generateManifests(createModule(), options);
  return files[FILE];
}

describe('The deployments of the applications', () => {
  it.each(['ephemeral-volume-claims', 'load-tests'])('should be generated: %s', async (name) => {
    await expect(await generate(APPS[name])).toMatchFileSnapshot(join(K8S, name, FILE));
  });

  it.each(Object.keys(EXHIBITS))('should be generated, with the account of the gallery: %s', async (feature) => {
    await expect(await generate(EXHIBITS[feature])).toMatchFileSnapshot(join(GALLERY, `${feature}.yaml`));
  });

  it('should be those of all exhibits of the gallery, and no others', () => {
    expect(readdirSync(GALLERY).sort()).toEqual(
      Object.keys(EXHIBITS)
        .map((feature) => `${feature}.yaml`)
        .sort(),
    );
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
