import type { DynamicModule } from '@nestjs/common';
import type { KopfModuleOptions, KubeObject } from 'nestjs-kopf';
import { WebhookServer } from 'nestjs-kopf/webhooks';
import type { ManifestOptions } from 'nestjs-kopf-cli';
import { AppModule as ClaimsModule } from '../../../apps/ephemeral-volume-claims/src/app.module.js';
import { AppModule as GalleryModule } from '../../../apps/gallery/src/app.module.js';
import { GALLERY } from '../../../apps/gallery/src/gallery.js';
import { InventoryModule } from '../../../apps/inventory-api/src/operator/inventory.module.js';
import { AppModule as LoadTestsModule } from '../../../apps/load-tests/src/app.module.js';
import { readManifests } from '../../support/clusters/manifests.js';

/** An application of the repository, and how its manifests are generated. */
export interface App {
  readonly createModule: (options?: KopfModuleOptions) => DynamicModule;
  readonly options: ManifestOptions;
}

const crdsOf = (folder: string, file = 'crd'): readonly KubeObject[] => readManifests(`${folder}/${file}.yaml`);

function describeContainer(name: string, program = 'main.js') {
  return { name, image: `example.com/${name}:latest`, command: ['node', program] };
}

/** In a pod, the applications choose the server of webhooks that can be reached there. The certificate is replaced before long. */
function serverOf(name: string): WebhookServer {
  const secret = { name: `${name}-webhooks`, lifetime: 60, interval: 5, bundleDelay: 5 };
  return new WebhookServer({ port: 9443, service: { name, namespace: 'default' }, secret });
}

const inventoryAdmission = { managed: 'inventory.example.com', server: serverOf('inventory-api') };

/** The applications by their folders in `k8s`. */
export const APPS: Readonly<Record<string, App>> = {
  'ephemeral-volume-claims': {
    createModule: (options) => ClaimsModule.register(options),
    options: {
      ...describeContainer('ephemeral-volume-claims', 'main.cluster.js'),
      crds: crdsOf('ephemeral-volume-claims'),
    },
  },
  'load-tests': {
    createModule: (options) => LoadTestsModule.register(options),
    options: { ...describeContainer('load-tests'), crds: crdsOf('load-tests', 'crds') },
  },
  'inventory-api': {
    createModule: (options) => InventoryModule.register({ key: 'key' }, { admission: inventoryAdmission, ...options }),
    options: {
      ...describeContainer('inventory-api'),
      crds: crdsOf('inventory-api'),
      env: {
        NODE_ENV: 'production',
        DATABASE: '/data/inventory.sqlite',
        API_KEY: { secretKeyRef: { name: 'inventory-api', key: 'api-key' } },
      },
    },
  },
};

const galleryAdmission = { managed: 'gallery.kopf.dev', server: serverOf('gallery') };

/** The applications of the gallery, by their features; they share one account, and the command says which of them runs. */
export const EXHIBITS: Readonly<Record<string, App>> = Object.fromEntries(
  Object.entries(GALLERY).map(([feature, exhibit]): [string, App] => [
    feature,
    {
      createModule: (options) => GalleryModule.register(exhibit, options),
      options: {
        ...describeContainer('gallery'),
        name: `gallery-${feature}`,
        account: 'gallery',
        command: ['node', 'main.js', feature],
        port: 8080,
        crds: crdsOf('gallery'),
        // Startup handlers set these, and are not called.
        ...(feature === 'admission' && { settings: { admission: galleryAdmission } }),
        ...(feature === 'activities' && { settings: { posting: { enabled: false } } }),
      },
    },
  ]),
);
