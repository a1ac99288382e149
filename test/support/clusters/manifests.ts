import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { loadAll } from 'js-yaml';
import type { KubeObject } from 'nestjs-kopf';
import type { ClusterUser } from './cluster.user.js';

const MANIFESTS = join(import.meta.dirname, '../../../k8s');

/** The objects of a file in the folder of manifests, in their order. */
export function readManifests(file: string): KubeObject[] {
  return loadAll(readFileSync(join(MANIFESTS, file), 'utf8')) as KubeObject[];
}

/** The path of the objects among which a manifest's object is. All kinds of ours but one have simple plurals. */
export function collectionOf({ apiVersion = 'v1', kind = '', metadata }: KubeObject): string {
  const root = apiVersion.includes('/') ? `/apis/${apiVersion}` : `/api/${apiVersion}`;
  const namespace = metadata.namespace === undefined ? '' : `/namespaces/${metadata.namespace}`;
  const plural = kind === 'NetworkPolicy' ? 'networkpolicies' : `${kind.toLowerCase()}s`;
  return `${root}${namespace}/${plural}`;
}

/** Applies a manifest as `kubectl apply --server-side` does, with all unknown fields being errors. */
export function applyManifest(user: ClusterUser, manifest: KubeObject): Promise<KubeObject> {
  const path = `${collectionOf(manifest)}/${manifest.metadata.name}`;
  return user.apply(`${path}?fieldManager=test&fieldValidation=Strict`, manifest);
}
