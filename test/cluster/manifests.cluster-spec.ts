import { readdirSync } from 'node:fs';
import { basename, join } from 'node:path';
import type { KubeObject } from 'nestjs-kopf';
import { GALLERY } from '../../apps/gallery/src/gallery.js';
import { applyManifest, collectionOf, readManifests } from '../support/clusters/manifests.js';
import type { ClusterUser } from '../support/clusters/cluster.user.js';
import { eventually } from '../support/time/eventually.js';
import { administrator, isServed } from '../support/clusters/cluster.access.js';
import { startControlPlane, type ControlPlane } from '../support/clusters/control-plane.js';

const APPS = ['ephemeral-volume-claims', 'inventory-api', 'load-tests'];
/** Operators that share an account, each with a deployment of its own. */
const EXHIBITS = Object.keys(GALLERY);
const FOLDER = join(import.meta.dirname, '../../k8s');
// Definitions come before the objects that are of them.
const FILES = readdirSync(FOLDER, { recursive: true, encoding: 'utf8' })
  .filter((file) => file.endsWith('.yaml') && !file.includes('.kopf-manifests'))
  .sort((one, other) => Number(isSample(one)) - Number(isSample(other)) || (one < other ? -1 : 1));
const ALL = FILES.flatMap((file) => readManifests(file).map((manifest) => ({ file, manifest })));

function isSample(file: string): boolean {
  return ['pod.yaml', 'sample.yaml', 'samples.yaml'].includes(basename(file));
}

let cluster: ControlPlane;
let user: ClusterUser;

beforeAll(async () => {
  cluster = await startControlPlane({ node: true });
  user = administrator(cluster);
}, 120_000);

afterAll(async () => {
  await user?.close();
  await cluster?.stop();
});

describe('the manifests', () => {
  it('should all be looked at', () => {
    const general = ['deployment.yaml', 'peering.yaml', 'rbac/cluster.yaml', 'rbac/namespaced.yaml'];
    const ofApps = APPS.flatMap((app) => ['rbac.yaml', 'deployment.yaml'].map((file) => `${app}/${file}`));
    const ofGallery = ['rbac.yaml', ...EXHIBITS.map((feature) => `deployments/${feature}.yaml`)];
    const ofExhibits = ofGallery.map((file) => `gallery/${file}`);
    expect(FILES).toEqual(expect.arrayContaining([...general, ...ofApps, ...ofExhibits]));
  });

  it.each(ALL.map(({ file, manifest }) => [`${manifest.kind} ${manifest.metadata.name}`, file, manifest] as const))(
    'should be accepted: %s of %s',
    async (_title, file, manifest) => {
      if (isSample(file)) await eventually('its kind is served', () => isServed(user, collectionOf(manifest)));
      await applyManifest(user, manifest);
      const stored = await user.get(`${collectionOf(manifest)}/${manifest.metadata.name}`);
      expect(stored).toMatchObject({ kind: manifest.kind, metadata: { name: manifest.metadata.name } });
    },
  );

  it.each([
    ['/apis/kopf.dev/v1/clusterkopfpeerings', 'ClusterKopfPeering'],
    ['/apis/kopf.dev/v1/namespaces/default/kopfpeerings', 'KopfPeering'],
  ])('should define peering objects whose status operators can write: %s', async (path, kind) => {
    const definition = `${kind.toLowerCase()}s.kopf.dev`;
    await eventually(`${definition} is served`, async () => {
      const stored = await user.get(`/apis/apiextensions.k8s.io/v1/customresourcedefinitions/${definition}`);
      const { conditions = [] } = (stored?.status ?? {}) as { conditions?: { type: string; status: string }[] };
      return conditions.some(({ type, status }) => type === 'Established' && status === 'True');
    });
    const body = { apiVersion: 'kopf.dev/v1', kind, metadata: { name: 'default' } };
    await eventually(`${kind} can be created`, () => user.create(path, body).catch(() => undefined));
    const record = {
      priority: 0,
      lifetime: 60,
      lastseen: '2020-12-31T23:59:59.123456+00:00',
      extra: { of: ['the', 'future'] },
    };
    await user.patch(`${path}/default`, { status: { 'me@host/20201231235959/abc': record } });
    const stored = await user.get(`${path}/default`);
    expect(stored?.status).toEqual({ 'me@host/20201231235959/abc': record });
  });

  it.each(['operator', ...APPS, ...EXHIBITS.map((feature) => `gallery-${feature}`)])(
    'should make a pod of the deployment: %s',
    async (application) => {
      await eventually('the pod runs', async () => {
        const pods: readonly KubeObject[] = await user.list('/api/v1/namespaces/default/pods');
        return pods.some(({ metadata, status }) => {
          const { application: own, 'app.kubernetes.io/name': generated } = metadata.labels ?? {};
          return [own, generated].includes(application) && (status as { phase?: string }).phase === 'Running';
        });
      });
    },
  );
});
