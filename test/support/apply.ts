import type { KubeObject } from 'nestjs-kopf';
import type { ClusterUser } from './cluster.user.js';

/** The folders of the kinds that manifests hold. */
const COLLECTIONS: Readonly<Record<string, string>> = {
  ServiceAccount: 'serviceaccounts',
  Role: 'roles',
  RoleBinding: 'rolebindings',
  ClusterRole: 'clusterroles',
  ClusterRoleBinding: 'clusterrolebindings',
  Deployment: 'deployments',
  CustomResourceDefinition: 'customresourcedefinitions',
};

/** The path of the objects among which a manifest's object is. */
export function collectionOf({ apiVersion = 'v1', kind = '', metadata }: KubeObject): string {
  const root = apiVersion.includes('/') ? `/apis/${apiVersion}` : `/api/${apiVersion}`;
  const namespace = metadata.namespace === undefined ? '' : `/namespaces/${metadata.namespace}`;
  const collection = COLLECTIONS[kind];
  if (!collection) throw new Error(`Nobody knows where objects of the kind ${kind} are.`);
  return `${root}${namespace}/${collection}`;
}

/** Applies a manifest as `kubectl apply --server-side` does, with all unknown fields being errors. */
export function applyManifest(user: ClusterUser, manifest: KubeObject): Promise<KubeObject> {
  const path = `${collectionOf(manifest)}/${manifest.metadata.name}`;
  return user.apply(`${path}?fieldManager=test&fieldValidation=Strict`, manifest);
}
