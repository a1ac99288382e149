import { GivenLogin } from '../../../libs/kopf/src/client/vault/given.login.js';
import { HttpTransport } from '../../../libs/kopf/src/client/http/http.transport.js';
import { NetworkingSettings, WatchingSettings } from '../../../libs/kopf/src/settings/client.settings.js';
import { SystemClock, type ConnectionInfo, type KubeObject } from 'nestjs-kopf';
import {
  ClusterUser,
  UnexpectedStatusError,
  customResource,
  DEFINITIONS,
  type DefinitionOptions,
} from './cluster.user.js';
import { eventually } from '../time/eventually.js';
import { applyManifest, collectionOf, readManifests } from './manifests.js';
import type { TestCluster } from '../../conformance/test.cluster.js';
import { startControlPlane, type ControlPlane, type ControlPlaneOptions } from './control-plane.js';

/** The path of the cluster-wide peerings. */
export const CLUSTER_PEERINGS = '/apis/kopf.dev/v1/clusterkopfpeerings';

/** The parts of a custom resource's definition that the tests read. */
export interface Definition extends KubeObject {
  readonly spec: {
    readonly group: string;
    readonly versions: readonly { name: string }[];
    readonly names: { plural: string };
  };
}

/** Gives the credentials by which the administrator reaches a control plane. */
export function credentialsOf({ url, caFile, token }: ControlPlane): ConnectionInfo {
  return { server: url, caPath: caFile, token };
}

/** An administrator with connections of their own; must be closed. */
export function administrator(cluster: ControlPlane): ClusterUser {
  const settings = { networking: new NetworkingSettings(), watching: new WatchingSettings() };
  return new ClusterUser(new HttpTransport(credentialsOf(cluster), settings, new SystemClock()));
}

/** Applies roles with their bindings, as in manifests, and logs in as the account among them. */
export async function permit(
  cluster: ControlPlane,
  user: ClusterUser,
  objects: readonly KubeObject[],
): Promise<ConnectionInfo> {
  for (const object of objects) await applyManifest(user, object);
  const account = objects.find(({ kind }) => kind === 'ServiceAccount')!;
  const request = { apiVersion: 'authentication.k8s.io/v1', kind: 'TokenRequest', spec: {} };
  const { status } = await user.create(`${collectionOf(account)}/${account.metadata.name}/token`, request);
  return { ...credentialsOf(cluster), token: (status as { token: string }).token };
}

/** Makes an account of the namespace `default` that has some rules in the whole cluster: with its role and its binding, to be permitted. */
export function accountWith(name: string, rules: readonly object[]): readonly KubeObject[] {
  const subject = { kind: 'ServiceAccount', name, namespace: 'default' };
  const rbac = { apiVersion: 'rbac.authorization.k8s.io/v1', metadata: { name } };
  const roleRef = { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name };
  return [
    { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name, namespace: 'default' } },
    { ...rbac, kind: 'ClusterRole', rules } as KubeObject,
    { ...rbac, kind: 'ClusterRoleBinding', roleRef, subjects: [subject] } as KubeObject,
  ];
}

/** The administrator of a kubeconfig, given as a text; must be closed. */
export async function administratorOf(kubeconfig: string): Promise<ClusterUser> {
  const settings = { networking: new NetworkingSettings(), watching: new WatchingSettings() };
  const clock = new SystemClock();
  return new ClusterUser(new HttpTransport(await new GivenLogin(kubeconfig, clock).login(), settings, clock));
}

/** Starts a control plane for a suite of tests that run on others, too. */
export async function startTestCluster(options?: ControlPlaneOptions): Promise<TestCluster> {
  const controlPlane = await startControlPlane(options);
  const user = administrator(controlPlane);
  const stop = async (): Promise<void> => {
    await user.close();
    await controlPlane.stop();
  };
  return { credentials: credentialsOf(controlPlane), user, stop };
}

/** Creates a custom resource, and waits until it is served. */
export async function define(user: ClusterUser, options: DefinitionOptions = {}): Promise<void> {
  const definition = customResource(options);
  await user.create(DEFINITIONS, definition);
  await untilServed(user, definition);
}

/** Creates the resources of peering, and the cluster-wide peering `default`; returns when it is there. */
export async function definePeering(user: ClusterUser): Promise<void> {
  for (const manifest of readManifests('peering.yaml')) await applyManifest(user, manifest);
  const body = { apiVersion: 'kopf.dev/v1', kind: 'ClusterKopfPeering', metadata: { name: 'default' } };
  await eventually('peering is served', () => user.create(CLUSTER_PEERINGS, body).catch(() => undefined));
}

/** Waits until the custom resource is served, and clients can find out that it is: one does not imply the other. */
export async function untilServed(user: ClusterUser, { spec }: Definition): Promise<void> {
  const { group, versions, names } = spec;
  const resource = `${group}/${versions[0].name}/${names.plural}`;
  await eventually(`${resource} is served`, () => isServed(user, `/apis/${resource}`));
  await eventually(`${resource} is in the discovery`, async () => (await user.discover()).includes(resource));
}

/** Whether there is a resource at the path. */
export async function isServed(user: ClusterUser, path: string): Promise<boolean> {
  try {
    return (await user.get(path)) !== undefined;
  } catch (error) {
    // While the storage of a new resource is being prepared, the server asks to come again.
    if (error instanceof UnexpectedStatusError && error.status === 429) return false;
    throw error;
  }
}
