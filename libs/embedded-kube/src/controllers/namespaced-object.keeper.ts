import type { KubeObject } from '../resources/kube-object.js';
import { jsonEqual } from '../common/json.values.js';
import type { Controller, ControllerContext, ResourceId } from './controller.js';
import { ignoringGone, splitKey, WorkQueue } from './work.queue.js';

const NAMESPACES: ResourceId = { group: '', plural: 'namespaces' };
const SERVICE_ACCOUNTS: ResourceId = { group: '', plural: 'serviceaccounts' };
const CONFIG_MAPS: ResourceId = { group: '', plural: 'configmaps' };

const CA_DESCRIPTION =
  'Contains a CA bundle that can be used to verify the kube-apiserver when using internal endpoints such as the internal service IP ' +
  'or kubernetes.default.svc. No other usage is guaranteed across distributions of Kubernetes clusters.';

/** An object that every namespace is to have. */
interface KeptObject {
  readonly resource: ResourceId;
  readonly name: string;
  readonly annotations?: Readonly<Record<string, string>>;
  /** The data that is restored when it was changed; absent if nothing is to be restored. */
  readonly data?: Readonly<Record<string, string>>;
}

/** The controller of an object that every namespace has, which is restored when it is changed or deleted. */
export class NamespacedObjectKeeper implements Controller {
  private context: ControllerContext;
  private queue: WorkQueue;
  private unwatch: (() => void)[] = [];

  constructor(
    readonly name: string,
    private readonly kept: KeptObject,
  ) {}

  start(context: ControllerContext): void {
    this.context = context;
    this.queue = new WorkQueue(this.name, (key) => this.process(key), context);
    const { client } = context;
    this.unwatch = [
      client.watch(NAMESPACES, ({ type, object }) => {
        if (type === 'ADDED') this.observe(object.metadata.name);
      }),
      client.watch(this.kept.resource, ({ type, object }) => {
        if (type !== 'ADDED' && object.metadata.name === this.kept.name) this.observe(object.metadata.namespace);
      }),
    ];
    for (const { metadata } of client.list(NAMESPACES)) this.observe(metadata.name);
  }

  async stop(): Promise<void> {
    for (const unwatch of this.unwatch) unwatch();
    await this.queue?.stop();
  }

  private observe(namespace: string | undefined): void {
    this.queue.add(`/${namespace ?? ''}`);
  }

  private async process(key: string): Promise<void> {
    const { client } = this.context;
    const { resource, name, data } = this.kept;
    const [, namespace] = splitKey(key);
    const home = client.get(NAMESPACES, undefined, namespace);
    if (!home || home.metadata.deletionTimestamp) return;
    const current = client.get(resource, namespace, name) as (KubeObject & { readonly data?: unknown }) | undefined;
    if (!current) await ignoringGone(client.create(resource, namespace, this.object()));
    else if (data && !jsonEqual(current.data, data)) {
      await ignoringGone(client.update(resource, namespace, name, { ...current, data }));
    }
  }

  private object(): object {
    const { name, annotations, data } = this.kept;
    return { metadata: { name, ...(annotations && { annotations }) }, ...(data && { data }) };
  }
}

/** Creates the controller of the service account that pods of a namespace have by default. */
export function serviceAccountController(): Controller {
  return new NamespacedObjectKeeper('serviceaccount-controller', { resource: SERVICE_ACCOUNTS, name: 'default' });
}

/** Creates the controller of the certificate by which pods of a namespace know the server. */
export function rootCertificateController(certificate: string): Controller {
  return new NamespacedObjectKeeper('root-ca-certificate-publisher-controller', {
    resource: CONFIG_MAPS,
    name: 'kube-root-ca.crt',
    annotations: { 'kubernetes.io/description': CA_DESCRIPTION },
    data: { 'ca.crt': certificate },
  });
}
