import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import type { KubeObject } from 'nestjs-kopf';
import { applyManifest, collectionOf } from '../support/apply.js';
import type { ClusterUser } from '../support/cluster.user.js';
import { eventually } from '../support/eventually.js';
import { readManifests } from '../support/manifests.js';
import { administrator } from './cluster.access.js';
import { startControlPlane, type ControlPlane } from './control-plane.js';

const FOLDER = join(import.meta.dirname, '../../k8s');
const FILES = ['.', 'rbac'].flatMap((folder) =>
  readdirSync(join(FOLDER, folder))
    .filter((file) => file.endsWith('.yaml'))
    .map((file) => join(folder, file)),
);
const ALL = FILES.flatMap((file) => readManifests(file).map((manifest) => ({ file, manifest })));

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
    expect(FILES.sort()).toEqual(
      expect.arrayContaining(['deployment.yaml', 'peering.yaml', 'rbac/cluster.yaml', 'rbac/namespaced.yaml']),
    );
  });

  it.each(ALL.map(({ file, manifest }) => [`${manifest.kind} ${manifest.metadata.name}`, file, manifest] as const))(
    'should be accepted: %s of %s',
    async (_title, _file, manifest) => {
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

  it('should make a pod of the deployment', async () => {
    await eventually('the pod runs', async () => {
      const pods: readonly KubeObject[] = await user.list('/api/v1/namespaces/default/pods');
      return pods.some(({ metadata, status }) => {
        return metadata.labels?.application === 'operator' && (status as { phase?: string }).phase === 'Running';
      });
    });
  });
});
