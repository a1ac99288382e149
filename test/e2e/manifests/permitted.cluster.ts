import type { DynamicModule } from '@nestjs/common';
import { Test, type TestingModule } from '@nestjs/testing';
import { EmbeddedKube } from 'embedded-kube';
import {
  KopfModule,
  KopfOperator,
  KubeClient,
  type KopfModuleOptions,
  type KubeObject,
  type KubeTransport,
} from 'nestjs-kopf';
import { learnPermissions, type ObservedPermissions } from 'nestjs-kopf-cli';
import { SeededRandom, VirtualClock } from 'nestjs-kopf/testing';
import { Deferred } from 'kube-common';
import { readManifests } from '../../support/clusters/manifests.js';
import { SilentLogger } from '../../support/telemetry/memory.logger.js';

const TOKEN = 'operator';

/** The plurals of the kinds of manifests are simple but for this one. */
const PLURALS: Readonly<Record<string, string>> = { NetworkPolicy: 'networkpolicies' };

/** An API server in this process, on virtual time, that permits an operator what roles say, and nothing else. */
export class PermittedCluster {
  private constructor(
    readonly kube: EmbeddedKube,
    readonly clock: VirtualClock,
    private readonly user: string,
  ) {}

  /**
   * Starts the server, with the peering that operators look for.
   *
   * @param account the name of the operator's service account in the namespace `default`.
   */
  static async start(account: string, crds: readonly KubeObject[]): Promise<PermittedCluster> {
    const clock = new VirtualClock();
    const name = `system:serviceaccount:default:${account}`;
    const groups = ['system:serviceaccounts', 'system:serviceaccounts:default', 'system:authenticated'];
    const kube = await EmbeddedKube.start({
      port: false,
      pods: true,
      clock,
      random: new SeededRandom(1),
      authorization: 'rbac',
      // As on OpenShift.
      enableAdmissionPlugins: ['OwnerReferencesPermissionEnforcement'],
      users: { [TOKEN]: { name, groups } },
      history: true,
      webhookServices: () => 'https://127.0.0.1:9443',
      webhookTransport: { post: ({ body }) => Promise.resolve(allow(body)), close: () => Promise.resolve() },
    });
    const cluster = new PermittedCluster(kube, clock, name);
    await cluster.create([...readManifests('peering.yaml'), ...crds]);
    const peering = { apiVersion: 'kopf.dev/v1', metadata: { name: 'default' } };
    await cluster.create([
      { ...peering, kind: 'ClusterKopfPeering' },
      { ...peering, kind: 'KopfPeering', metadata: { name: 'default', namespace: 'default' } },
    ]);
    return cluster;
  }

  /** Creates the objects of manifests, as an administrator. */
  async create(objects: readonly KubeObject[]): Promise<void> {
    for (const object of objects) {
      const { apiVersion = '', kind = '', metadata } = object;
      const group = apiVersion.includes('/') ? apiVersion.split('/')[0] : '';
      const plural = PLURALS[kind] ?? `${kind.toLowerCase()}s`;
      await this.kube.client.create({ group, plural }, metadata.namespace, object);
    }
  }

  /**
   * Runs an operator with its account's permissions while something happens.
   *
   * @returns what it has used, and whether all has happened as it should.
   */
  async run(
    createModule: (options: KopfModuleOptions) => DynamicModule,
    scenario: (administrator: KubeClient, signal: AbortSignal) => Promise<void>,
  ): Promise<{ readonly observed: ObservedPermissions; readonly error?: unknown }> {
    const { kube, clock } = this;
    const refused = new Deferred<void>();
    const transport = watchRefusals(kube.transport(TOKEN), () => refused.resolve());
    const credentials = { server: kube.url, transport, defaultNamespace: 'default' };
    const module = await compile(createModule({ credentials, clock, random: new SeededRandom(2), required: true }));
    const administrator = await compile(
      KopfModule.forRoot({ enabled: false, clock, credentials: { server: kube.url, transport: kube.transport() } }),
    );
    const ended = new AbortController();
    let error: unknown;
    try {
      const all = module
        .init()
        .then(() => module.get(KopfOperator).ready())
        .then(() => scenario(administrator.get(KubeClient), ended.signal));
      // The first refusal tells enough; whatever waits for its effect would wait for long.
      await clock.runUntil(Promise.race([all, refused.promise]));
    } catch (reason) {
      error = reason;
    } finally {
      ended.abort();
      await clock.runUntil(Promise.all([module.close(), administrator.close()]));
    }
    return { observed: learnPermissions(kube.history.requests({ user: this.user })), error };
  }

  async stop(): Promise<void> {
    await this.clock.runUntil(this.kube.stop());
  }
}

/** The answer of a webhook that admits everything. */
function allow(body: string) {
  const { apiVersion, kind, request } = JSON.parse(body) as {
    apiVersion: string;
    kind: string;
    request: { uid: string };
  };
  const answer = { apiVersion, kind, response: { uid: request.uid, allowed: true } };
  return { status: 200, headers: { 'content-type': 'application/json' }, body: JSON.stringify(answer) };
}

/** Tells of requests that are forbidden, but for those for CRDs, which an operator of some namespaces makes without being allowed to. */
function watchRefusals(transport: KubeTransport, onRefused: () => void): KubeTransport {
  return {
    async request(request) {
      const response = await transport.request(request);
      if (response.status === 403 && !request.path.includes('/customresourcedefinitions')) onRefused();
      return response;
    },
    close: () => transport.close(),
  };
}

function compile(module: DynamicModule): Promise<TestingModule> {
  return Test.createTestingModule({ imports: [module] })
    .setLogger(new SilentLogger())
    .compile();
}
