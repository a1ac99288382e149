import { KubeApi } from '../../client/api/api.client.js';
import { ApiNotFoundError, UnknownResourceError } from '../../client/api/api.errors.js';
import { KubeClient } from '../../client/kube.client.js';
import { Vault } from '../../client/vault/vault.js';
import { type Clock, type KubeTransport, SeededRandom, sleep } from 'kube-common';
import type { KubeObject } from '../../objects/kube-object.js';
import type { Resource } from '../../resources/resources.js';
import { KopfSettings } from '../../settings/kopf.settings.js';
import type { LogRecorder } from '../records/log.recorder.js';
import type { TestServer } from './test.server.js';

const FIELD_MANAGER = 'kopf-test';
const DEFINITIONS = 'customresourcedefinitions.v1.apiextensions.k8s.io';

/** Names the test as the sender of requests, so that faults can be for those of the operator only. */
function withUserAgent(transport: KubeTransport): KubeTransport {
  return {
    request: ({ headers, ...request }) =>
      transport.request({ ...request, headers: { ...headers, 'user-agent': FIELD_MANAGER } }),
    close: () => transport.close(),
  };
}

/** The reference to an object. */
export type ObjectReference = Pick<KubeObject, 'apiVersion' | 'kind' | 'metadata'>;

/** The administrator of the API server, apart from the operator: writes and reads the objects of a test, and cleans up after it. */
export class TestClient {
  readonly kube: KubeClient;
  private readonly vault: Vault;
  private readonly created: KubeObject[] = [];

  constructor(
    private readonly server: TestServer,
    private readonly clock: Clock,
    logger: LogRecorder,
  ) {
    const settings = new KopfSettings();
    const random = new SeededRandom(3);
    const transport = withUserAgent(server.connect());
    const info = { server: server.url, transport, defaultNamespace: server.namespace };
    const login = async () => new Map([['test', info]]);
    this.vault = new Vault({ login, createTransport: () => transport, clock, random, logger });
    const api = new KubeApi(this.vault, settings.networking, clock, logger);
    this.kube = new KubeClient({ api, settings, clock, random, logger });
  }

  /** Creates the namespace of the test. */
  async setUp(): Promise<void> {
    if (!this.server.isShared) return;
    await this.kube.create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: this.server.namespace } });
  }

  /** Creates the object, or changes it to be as given. Of a CRD, it is waited for until its resources are served. */
  async apply(object: KubeObject): Promise<KubeObject> {
    await this.untilServed(object);
    const existed = this.server.isShared ? await this.find(object) : undefined;
    const applied = await this.kube.apply(object, { fieldManager: FIELD_MANAGER, force: true });
    if (!existed) this.created.push(applied);
    if (object.kind === 'CustomResourceDefinition') await this.untilServed(exampleOf(object));
    return applied;
  }

  /** @throws ApiNotFoundError if there is no such object. */
  async read<T extends KubeObject>(reference: ObjectReference): Promise<T> {
    const { name, namespace } = reference.metadata;
    return this.kube.get<T>(kindOf(reference), name ?? '', { namespace });
  }

  /** Finds the object, unless it is gone, or another one has its name by now. */
  async find<T extends KubeObject>(reference: ObjectReference): Promise<T | undefined> {
    try {
      const found = await this.read<T>(reference);
      const { uid } = reference.metadata;
      return uid && uid !== found.metadata.uid ? undefined : found;
    } catch (error) {
      if (error instanceof ApiNotFoundError) return undefined;
      throw error;
    }
  }

  async patch(reference: ObjectReference, patch: object, subresource?: string): Promise<KubeObject> {
    const { name, namespace } = reference.metadata;
    return this.kube.patch(kindOf(reference), name ?? '', patch, { namespace, subresource });
  }

  async delete(reference: ObjectReference): Promise<void> {
    const { name, namespace } = reference.metadata;
    await this.kube.delete(kindOf(reference), name ?? '', { namespace });
  }

  /** Finds the kind of an object. */
  resolve(reference: ObjectReference): Promise<Resource> {
    return this.kube.resolve(kindOf(reference));
  }

  /** Deletes all that the test has left in a shared cluster, and closes the connections. */
  async close(): Promise<void> {
    if (this.server.isShared) await this.cleanUp();
    await this.vault.close();
  }

  /** Closes the connections, with the requests in progress. */
  disconnect(): Promise<void> {
    return this.vault.close();
  }

  private async cleanUp(): Promise<void> {
    const kinds = new Set(this.created.map((object) => `${object.apiVersion} ${object.kind}`));
    for (const [apiVersion, kind] of [...kinds].map((each) => each.split(' '))) {
      // The operator is gone, so it would not remove its finalizers.
      const resource = await this.kube.resolve({ apiVersion, kind });
      if (!resource.namespaced) continue;
      const { items } = await this.kube.list(resource, { namespace: this.server.namespace });
      for (const { metadata } of items.filter((item) => item.metadata.finalizers?.length)) {
        const patch = { metadata: { finalizers: null } };
        await this.kube.patch(resource, metadata.name!, patch, { namespace: metadata.namespace });
      }
    }
    await this.kube.delete('namespaces.v1', this.server.namespace);
    for (const object of this.created.reverse()) {
      const { namespaced } = await this.resolve(object);
      if (!namespaced && (await this.find(object))) await this.delete(object);
    }
  }

  private async untilServed(reference: ObjectReference): Promise<void> {
    for (;;) {
      try {
        await this.kube.resolve(kindOf(reference));
        return;
      } catch (error) {
        if (!(error instanceof UnknownResourceError) || !(await this.isDefined(reference))) throw error;
        await sleep(this.clock, 0.1);
      }
    }
  }

  /** Whether there is a CRD of the kind, which is not served yet. */
  private async isDefined({ kind }: ObjectReference): Promise<boolean> {
    const { items } = await this.kube.list(DEFINITIONS);
    return items.some(({ spec }) => spec?.names?.kind === kind);
  }
}

function kindOf({ apiVersion, kind }: ObjectReference): { readonly apiVersion: string; readonly kind: string } {
  if (!apiVersion || !kind) throw new TypeError('The object has no apiVersion or no kind.');
  return { apiVersion, kind };
}

function exampleOf({ spec }: KubeObject): ObjectReference {
  const version = spec.versions.find(({ served }: { served?: boolean }) => served) as { name: string };
  return { apiVersion: `${spec.group}/${version.name}`, kind: spec.names.kind as string, metadata: {} };
}
