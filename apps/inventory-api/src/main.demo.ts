import 'reflect-metadata';
import { mkdirSync, readFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { NestFactory } from '@nestjs/core';
import { EmbeddedKube } from 'embedded-kube';
import { load } from 'js-yaml';
import type { KubeObject } from 'nestjs-kopf';
import { serveDocumentation, setUp } from './app.setup.js';
import { InventoryModule } from './operator/inventory.module.js';

/** Serves the API with an API server of its own, and a first item in it, to be tried: `npm run inventory`. */
const KUBECONFIG = '.embedded-kube/kubeconfig';
const { API_KEY: key = 'try', PORT = '3000' } = process.env;

function readManifest(name: string): KubeObject {
  const file = new URL(`../../../k8s/inventory-api/${name}.yaml`, import.meta.url);
  return load(readFileSync(file, 'utf8')) as KubeObject;
}

const kube = await EmbeddedKube.start();
// However the process ends, the server removes its kubeconfig.
process.once('exit', () => void kube.stop());
mkdirSync(dirname(KUBECONFIG), { recursive: true });
kube.writeKubeconfig(KUBECONFIG);
const definitions = { group: 'apiextensions.k8s.io', plural: 'customresourcedefinitions' };
await kube.client.create(definitions, undefined, readManifest('crd'));
await kube.client.create({ group: 'example.com', plural: 'inventoryitems' }, 'default', readManifest('sample'));

const module = InventoryModule.register({ key }, { credentials: kube.kubeconfig });
const app = await NestFactory.create(module, { logger: ['warn', 'error'] });
setUp(app);
serveDocumentation(app);

let stopping: Promise<void> | undefined;
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
  process.on(signal, () => {
    stopping ??= app
      .close()
      .then(() => kube.stop())
      .finally(() => process.exit());
  });
}
await app.listen(Number(PORT), '127.0.0.1');
// The routes are not shown, but what the operator does from now on.
app.useLogger(['log', 'warn', 'error']);

const url = await app.getUrl();
const curl = `curl -s -H 'x-api-key: ${key}' ${url}`;
const kubectl = `kubectl --kubeconfig ${KUBECONFIG}`;
console.log(`
The API is at ${url}/api, its documentation at ${url}/api/docs. The console of its operator is at ${url}/kopf/,
for admin with the password ${key}. Try in another shell, in this folder:

  ${kubectl} get item
  ${curl}/api/items
  ${kubectl} patch item chair --type merge -p '{"spec": {"quantity": 2}}'
  ${curl}/api/items/chair
  ${curl}/api/warehouses/north
  ${kubectl} patch item chair --type merge -p '{"spec": {"quantity": -1}}'
  ${kubectl} delete item chair
  curl -s ${url}/readyz
  curl -s ${url}/metrics

The items of the cluster are those of the API. One that the API would reject is rejected by the cluster, too: the last patch.
Ctrl-C stops both, and removes the kubeconfig.
`);
