import type { DynamicModule } from '@nestjs/common';
import { Test, type TestingModule } from '@nestjs/testing';
import {
  KopfModule,
  KopfOperator,
  KubeClient,
  SystemClock,
  type ConnectionInfo,
  type KopfModuleOptions,
  type KubeObject,
  type KubeTransport,
} from 'nestjs-kopf';
import { reviewGrants, type GrantedPermission, type RequiredPermission } from 'nestjs-kopf-cli';
import { HttpTransport } from '../../../libs/kopf/src/client/http/http.transport.js';
import { NetworkingSettings, WatchingSettings } from '../../../libs/kopf/src/settings/client.settings.js';
import { Deferred } from 'kube-common';
import {
  administrator,
  definePeering,
  accountWith,
  permit,
  untilServed,
  type Definition,
} from '../../support/clusters/cluster.access.js';
import { ClusterUser } from '../../support/clusters/cluster.user.js';
import { startControlPlane, type ControlPlane } from '../../support/clusters/control-plane.js';
import { eventually } from '../../support/time/eventually.js';
import { applyManifest } from '../../support/clusters/manifests.js';
import { SilentLogger } from '../../support/telemetry/memory.logger.js';
import type { Scenario } from '../../e2e/manifests/scenarios.js';

/** A request that the API server has forbidden. */
export type Refusal = Pick<RequiredPermission, 'group' | 'resource' | 'verb'>;

const NAMESPACE = 'default';
const STORAGE_CLASS = 'expandable';
/** Stands in the message of the plugin OwnerReferencesPermissionEnforcement, which does not name the owner. */
const OWNERS_FORBIDDEN = "you can't set finalizers on";
const FORBIDDEN = /cannot (\w+) resource "([^"]+)" in API group "([^"]*)"/;

/** An account that may name objects of the applications as owners. The API server does not look for the kind if all are allowed. */
const OWNER = accountWith('owner', [
  { apiGroups: [''], resources: ['configmaps'], verbs: ['create'] },
  { apiGroups: ['kopf.dev', 'example.org', 'example.com'], resources: ['*/finalizers'], verbs: ['update'] },
]);

/** A real control plane that permits an operator what roles say, and nothing else. The operator restarts, the API server does not. */
export class PermittedControlPlane {
  private volumes = 0;

  private constructor(
    private readonly cluster: ControlPlane,
    private readonly user: ClusterUser,
    private readonly owner: ClusterUser,
  ) {}

  static async start(): Promise<PermittedControlPlane> {
    const cluster = await startControlPlane({ node: true, admissionPlugins: ['OwnerReferencesPermissionEnforcement'] });
    const user = administrator(cluster);
    await definePeering(user);
    const peering = { apiVersion: 'kopf.dev/v1', kind: 'KopfPeering', metadata: { name: 'default' } };
    const path = `/apis/kopf.dev/v1/namespaces/${NAMESPACE}/kopfpeerings`;
    await eventually('peering is served', () => user.create(path, peering).catch(() => undefined));
    await user.create('/apis/storage.k8s.io/v1/storageclasses', {
      metadata: { name: STORAGE_CLASS },
      provisioner: 'kubernetes.io/no-provisioner',
      allowVolumeExpansion: true,
    });
    const owner = new ClusterUser(createTransport(await permit(cluster, user, OWNER)));
    return new PermittedControlPlane(cluster, user, owner);
  }

  async define(crds: readonly KubeObject[]): Promise<void> {
    for (const crd of crds) await applyManifest(this.user, crd);
    for (const crd of crds) await untilServed(this.user, crd as Definition);
    for (const crd of crds) await this.untilOwner(crd as Definition);
  }

  /** Waits until objects of a kind can be owners that must not be deleted first: the API server looks for new kinds every few seconds. */
  private async untilOwner({ spec: { group, versions, names } }: Definition): Promise<void> {
    const { kind } = names as Definition['spec']['names'] & { kind: string };
    const owner = { apiVersion: `${group}/${versions[0].name}`, kind, name: 'a', uid: 'a', blockOwnerDeletion: true };
    const owned = { metadata: { name: 'owned', ownerReferences: [owner] } };
    await eventually(`${kind} can be an owner`, () =>
      this.owner.create(`/api/v1/namespaces/${NAMESPACE}/configmaps?dryRun=All`, owned).catch(() => undefined),
    );
  }

  /** Lets a service of the cluster lead to a server on this machine, at the same port. */
  async expose(name: string): Promise<void> {
    const spec = { type: 'ExternalName', externalName: 'localhost' };
    await this.user.create(`/api/v1/namespaces/${NAMESPACE}/services`, { metadata: { name }, spec });
  }

  /** Applies roles, bindings, and the account that they are for. @returns the credentials of the account. */
  permit(objects: readonly KubeObject[]): Promise<ConnectionInfo> {
    return permit(this.cluster, this.user, objects);
  }

  /** Asks as the account for its permissions, as `kopf verify --cluster` does. */
  async review(credentials: ConnectionInfo): Promise<readonly GrantedPermission[]> {
    const transport = createTransport(credentials);
    const post = async <T>(path: string, payload: unknown): Promise<T> => {
      const headers = { 'content-type': 'application/json' };
      const response = await transport.request({ method: 'POST', path, headers, body: JSON.stringify(payload) });
      return JSON.parse(await response.text()) as T;
    };
    try {
      return await reviewGrants({ post }, [NAMESPACE]);
    } finally {
      await transport.close();
    }
  }

  /**
   * Runs an operator as its account while something happens.
   *
   * @param isEnough ends the run with this refusal, as whatever waits for its effect would wait for long.
   * @returns what was refused, and why the scenario has failed.
   */
  async run(
    createModule: (options: KopfModuleOptions) => DynamicModule,
    credentials: ConnectionInfo,
    scenario: Scenario,
    isEnough: (refusal: Refusal) => boolean = () => false,
  ): Promise<{ readonly refusals: readonly Refusal[]; readonly error?: unknown }> {
    const refusals: Refusal[] = [];
    const enough = new Deferred<void>();
    const transport = watchRefusals(createTransport(credentials), (refusal) => {
      refusals.push(refusal);
      if (isEnough(refusal)) enough.resolve();
    });
    await this.provideVolumes();
    const module = await compile(createModule({ credentials: { ...credentials, transport }, required: true }));
    // Closed with the run, so that a scenario that was ended early does not go on during the next one.
    const { kubeconfigPath: kubeconfig } = this.cluster;
    const administrators = await compile(KopfModule.forRoot({ enabled: false, credentials: kubeconfig }));
    const ended = new AbortController();
    let error: unknown;
    try {
      const { signal } = ended;
      const client = administrators.get(KubeClient);
      const all = module
        .init()
        .then(() => module.get(KopfOperator).ready())
        .then(() => scenario({ client, signal, clock: new SystemClock(), storageClassName: STORAGE_CLASS }));
      await Promise.race([all, enough.promise]);
    } catch (reason) {
      error = reason;
    } finally {
      ended.abort();
      await Promise.all([module.close(), administrators.close()]);
    }
    return { refusals, error };
  }

  /** Removes what a run that was ended early has left, whatever still waits for it. */
  async clean(collections: readonly string[]): Promise<void> {
    for (const collection of collections) {
      // Controllers add finalizers again until the objects are being deleted.
      await eventually(`${collection} has nothing left`, async () => {
        const left = await this.user.list(collection);
        for (const { metadata } of left) await this.remove(collection, metadata);
        return left.length === 0;
      });
    }
  }

  async stop(): Promise<void> {
    await Promise.all([this.user.close(), this.owner.close()]);
    await this.cluster.stop();
  }

  private async remove(collection: string, { name, namespace, finalizers }: KubeObject['metadata']): Promise<void> {
    const path = `${namespace === undefined ? collection : namespaced(collection, namespace)}/${name}`;
    await this.user.delete(`${path}?gracePeriodSeconds=0`);
    // It may have gone meanwhile.
    if (finalizers) await this.user.patch(path, { metadata: { finalizers: null } }).catch(() => undefined);
  }

  /** Used volumes cannot be bound again. */
  private async provideVolumes(): Promise<void> {
    for (const _ of ['the first claim of the scenario', 'the second one']) {
      const name = `volume-${++this.volumes}`;
      const spec = {
        capacity: { storage: '1Gi' },
        accessModes: ['ReadWriteOnce'],
        storageClassName: STORAGE_CLASS,
        hostPath: { path: `/tmp/${name}` },
      };
      await this.user.create('/api/v1/persistentvolumes', { metadata: { name }, spec });
    }
  }
}

function namespaced(collection: string, namespace: string): string {
  return collection.replace(/\/([^/]+)$/, `/namespaces/${namespace}/$1`);
}

function createTransport(credentials: ConnectionInfo): KubeTransport {
  const settings = { networking: new NetworkingSettings(), watching: new WatchingSettings() };
  return new HttpTransport(credentials, settings, new SystemClock());
}

/** The updates of finalizers of owners that the API server wants an account to be allowed before it sets `blockOwnerDeletion`. */
function ownersOf(body = '{}'): readonly Refusal[] {
  const { metadata } = JSON.parse(body) as Partial<KubeObject>;
  return (metadata?.ownerReferences ?? []).map(({ apiVersion, kind }) => ({
    verb: 'update',
    resource: `${kind.toLowerCase()}s/finalizers`,
    group: apiVersion.includes('/') ? apiVersion.split('/')[0] : '',
  }));
}

/** Tells of requests that are forbidden. */
function watchRefusals(transport: KubeTransport, onRefused: (refusal: Refusal) => void): KubeTransport {
  return {
    async request(request) {
      const response = await transport.request(request);
      if (response.status !== 403) return response;
      const text = await response.text();
      const { message } = JSON.parse(text) as { message: string };
      const [, verb, resource, group] = FORBIDDEN.exec(message) ?? [];
      if (verb !== undefined) onRefused({ verb, resource, group });
      if (message.includes(OWNERS_FORBIDDEN)) ownersOf(request.body).forEach(onRefused);
      const { status, headers } = response;
      return { status, headers, text: () => Promise.resolve(text), chunks: () => response.chunks() };
    },
    close: () => transport.close(),
  };
}

function compile(module: DynamicModule): Promise<TestingModule> {
  return Test.createTestingModule({ imports: [module] })
    .setLogger(new SilentLogger())
    .compile();
}
