import type { DynamicModule } from '@nestjs/common';
import { Test } from '@nestjs/testing';
import { KopfOperator, KopfWatcher, type KopfModuleOptions, type KubeObject } from 'nestjs-kopf';
import { AppModule as ClaimsModule } from '../../apps/ephemeral-volume-claims/src/app.module.js';
import { AppModule as GalleryModule } from '../../apps/gallery/src/app.module.js';
import { GALLERY } from '../../apps/gallery/src/gallery.js';
import { InventoryModule } from '../../apps/inventory-api/src/operator/inventory.module.js';
import { AppModule as LoadTestsModule } from '../../apps/load-tests/src/app.module.js';
import { applyManifest, collectionOf, readManifests } from '../support/clusters/manifests.js';
import type { ClusterUser } from '../support/clusters/cluster.user.js';
import { eventually } from '../support/time/eventually.js';
import { SilentLogger } from '../support/telemetry/memory.logger.js';
import { administrator, permit, untilServed, type Definition } from '../support/clusters/cluster.access.js';
import { startControlPlane, type ControlPlane } from '../support/clusters/control-plane.js';

/** One application with what of it shows that it works. */
interface Scenario {
  readonly folder: string;
  readonly definitions?: string;
  readonly samples?: string;
  readonly makeModule: (options: KopfModuleOptions) => DynamicModule;
  /** The status that the samples come to have. */
  readonly status?: Readonly<Record<string, object>>;
  /** The objects that the operators create. */
  readonly made?: readonly string[];
  /** A patch of the first sample that a webhook rejects, and the message. */
  readonly rejected?: { readonly patch: object; readonly message: string };
}

const SCENARIOS: Readonly<Record<string, Scenario>> = {
  'the claims': {
    folder: 'ephemeral-volume-claims',
    makeModule: (options) => ClaimsModule.register(options),
    status: { 'my-claim': { create: { 'pvc-name': expect.any(String) } } },
    made: ['/api/v1/namespaces/default/persistentvolumeclaims/my-claim'],
  },
  'the load tests': {
    folder: 'load-tests',
    definitions: 'crds',
    samples: 'samples',
    makeModule: (options) => LoadTestsModule.register(options),
    status: {
      'example-01': { create: { children: [expect.any(String)] } },
      'example-02': { state: 'executing', children: { 'example-02-1-4': 'Pending' } },
    },
    made: ['/api/v1/namespaces/default/pods/example-01'],
  },
  'the inventory': {
    folder: 'inventory-api',
    makeModule: (options) => InventoryModule.register({ key: 'key' }, options),
    status: { chair: { inStock: true } },
    rejected: { patch: { spec: { warehouse: 'NORTH' } }, message: 'spec.warehouse must be a lowercase string' },
  },
  ...Object.fromEntries(
    Object.entries(GALLERY).map(([feature, exhibit]): [string, Scenario] => [
      `the ${feature} of the gallery`,
      {
        folder: 'gallery',
        makeModule: (options) => GalleryModule.register(exhibit, options),
        ...(feature === 'hierarchies' && {
          status: { 'kopf-example-1': { create: { configMap: 'kopf-example-1' } } },
          made: ['/api/v1/namespaces/default/configmaps/kopf-example-1'],
        }),
      },
    ]),
  ),
};

let cluster: ControlPlane;
let user: ClusterUser;

beforeAll(async () => {
  cluster = await startControlPlane();
  user = administrator(cluster);
  for (const manifest of readManifests('peering.yaml')) await applyManifest(user, manifest);
}, 120_000);

afterAll(async () => {
  await user?.close();
  await cluster?.stop();
});

describe('An application with no more rights than its manifests give it', () => {
  it.each(Object.entries(SCENARIOS))('should do its work: %s', async (_what, scenario) => {
    const { folder, definitions = 'crd', samples = 'sample', makeModule, status = {}, made = [], rejected } = scenario;
    for (const definition of readManifests(`${folder}/${definitions}.yaml`)) {
      await applyManifest(user, definition);
      await untilServed(user, definition as Definition);
    }
    const objects: readonly KubeObject[] = readManifests(`${folder}/${samples}.yaml`);
    const pathOf = (object: KubeObject) => `${collectionOf(object)}/${object.metadata.name}`;
    const credentials = await permit(cluster, user, readManifests(`${folder}/rbac.yaml`));
    const module = await Test.createTestingModule({ imports: [makeModule({ credentials })] })
      .setLogger(new SilentLogger())
      .compile();
    await module.init();
    try {
      await module.get(KopfOperator).ready();
      for (const object of objects) await applyManifest(user, object);
      for (const object of objects) {
        const expected = status[object.metadata.name!] ?? {};
        await eventually(`the status of ${object.metadata.name} is right`, async () => {
          const stored = await user.get(pathOf(object));
          return matches(() => expect(stored?.status ?? {}).toMatchObject(expected));
        });
      }
      for (const path of made) await eventually(`${path} is there`, () => user.get(path));
      if (rejected) {
        await eventually('a wrong patch is rejected', async () => {
          const outcome = user.patch(pathOf(objects[0]), rejected.patch).then(() => 'accepted', String);
          return (await outcome).includes(rejected.message);
        });
      }
      const watcher = module.get(KopfWatcher);
      await eventually('all is watched', () => watcher.states.every(({ state }) => state === 'watching'));
      expect(watcher.states.map(({ lastError }) => lastError)).toEqual(watcher.states.map(() => undefined));
      for (const object of objects) await user.delete(pathOf(object));
      for (const object of objects) {
        await eventually('the samples have gone', async () => !(await user.get(pathOf(object))));
      }
    } finally {
      await module.close();
    }
  });
});

function matches(check: () => void): boolean {
  try {
    check();
    return true;
  } catch {
    return false;
  }
}
