import { CoreV1Api, KubeConfig } from '@kubernetes/client-node';
import { EmbeddedKube } from 'embedded-kube';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { USAGE } from '../../libs/embedded-kube/src/command/cli.options.js';

// #region first
describe('my operator', () => {
  let kube: EmbeddedKube;

  beforeAll(async () => {
    kube = await EmbeddedKube.start();
  });
  afterAll(() => kube.stop());

  it('should find its settings', async () => {
    const config = new KubeConfig();
    config.loadFromString(kube.kubeconfig);
    const core = config.makeApiClient(CoreV1Api);
    await core.createNamespacedConfigMap({
      namespace: 'default',
      body: { metadata: { name: 'settings' }, data: { size: '1Gi' } },
    });

    // The same object, without HTTP.
    expect(kube.client.get({ group: '', plural: 'configmaps' }, 'default', 'settings')).toMatchObject({
      data: { size: '1Gi' },
    });
  });
});
// #endregion

// #region definitions
it('should know my kinds', async () => {
  const kube = await EmbeddedKube.start({ manifests: 'k8s/peering.yaml' });
  const metadata = { name: 'default' };
  await kube.client.create({ group: 'kopf.dev', plural: 'clusterkopfpeerings' }, undefined, { metadata });
  await kube.stop();
});
// #endregion

// #region wait
const PODS = { group: '', plural: 'pods' };

/** Resolves when the pod runs. */
function running(kube: EmbeddedKube, name: string): Promise<void> {
  return new Promise((resolve) => {
    const end = kube.client.watch(PODS, ({ object }) => {
      const { phase } = object['status'] as { phase?: string };
      if (object.metadata.name !== name || phase !== 'Running') return;
      end();
      resolve();
    });
  });
}

it('should run', async () => {
  const kube = await EmbeddedKube.start({ pods: true });
  const runs = running(kube, 'web');
  const spec = { containers: [{ name: 'main', image: 'web:1' }] };
  await kube.client.create(PODS, 'default', { metadata: { name: 'web' }, spec });
  await runs;
  await kube.stop();
});
// #endregion

describe('the guide about testing', () => {
  const read = (file: string): string => readFileSync(join(import.meta.dirname, file), 'utf8');

  it('should show the code of this file', () => {
    const shown = [...read('../../libs/embedded-kube/docs/testing.md').matchAll(/^```ts (\w+)\n([^]*?)^```$/gm)];
    const regions = [...read('embedded-testing.spec.ts').matchAll(/^\/\/ #region (\w+)\n([^]*?)^\/\/ #endregion$/gm)];
    const listed = (matches: readonly RegExpMatchArray[]) => matches.map(([, name, code]) => [name, code]);
    expect(listed(shown)).toEqual(listed(regions));
  });

  it('should show the options of the command', () => {
    const [, shown] = /^```text\n([^]*?)^```$/m.exec(read('../../libs/embedded-kube/docs/command.md')) ?? [];
    expect(shown).toBe(USAGE);
  });
});
