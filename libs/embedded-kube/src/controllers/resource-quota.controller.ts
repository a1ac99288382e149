import { jsonEqual, mapping } from '../common/json.values.js';
import { quotaMatches, quotaNames, quotaUsage } from '../kinds/quota.usage.js';
import type { ApiResource } from '../resources/api-resource.js';
import type { KubeObject } from '../resources/kube-object.js';
import {
  addResources,
  equalResources,
  maskResources,
  type ResourceList,
  resourceFields,
  resourceList,
} from '../resources/resource.list.js';
import type { Controller, ControllerContext, ObjectEvent, ResourceId } from './controller.js';
import { ignoringGone, objectKey, splitKey, WorkQueue } from './work.queue.js';

const QUOTAS: ResourceId = { group: '', plural: 'resourcequotas' };
/** The kinds whose changes can free what they used; objects of other kinds do so by being deleted only. */
const CHANGING = new Set(['pods', 'services', 'persistentvolumeclaims']);

/**
 * The controller that counts what is used of ResourceQuotas: when they are created or changed, and when something that they limit is
 * removed.
 */
export class ResourceQuotaController implements Controller {
  readonly name = 'resourcequota-controller';
  private context: ControllerContext;
  private queue: WorkQueue;
  private unwatch: (() => void) | undefined;
  private unwatchAll: (() => void) | undefined;
  private readonly quotas = new Map<string, Set<string>>();

  start(context: ControllerContext): void {
    this.context = context;
    this.queue = new WorkQueue(this.name, (key) => this.process(key), context);
    this.unwatch = context.client.watch(QUOTAS, (event) => this.observeQuota(event));
    for (const quota of context.client.list(QUOTAS)) this.add(quota);
  }

  async stop(): Promise<void> {
    this.unwatch?.();
    this.unwatchAll?.();
    await this.queue?.stop();
  }

  private observeQuota({ type, object, previous }: ObjectEvent): void {
    if (type === 'DELETED') this.drop(object);
    else if (type === 'ADDED' || !previous || !isSettled(object)) this.add(object);
  }

  private add(quota: KubeObject): void {
    const { namespace = '' } = quota.metadata;
    const known = this.quotas.get(namespace);
    if (known) known.add(objectKey(quota));
    else this.quotas.set(namespace, new Set([objectKey(quota)]));
    // Servers without quotas do not pay for this.
    this.unwatchAll ??= this.context.client.watch('all', (event) => this.observe(event));
    this.queue.add(objectKey(quota));
  }

  private drop(quota: KubeObject): void {
    const { namespace = '' } = quota.metadata;
    const known = this.quotas.get(namespace);
    known?.delete(objectKey(quota));
    if (known?.size === 0) this.quotas.delete(namespace);
    for (const key of known ?? []) this.queue.add(key);
    if (this.quotas.size > 0) return;
    this.unwatchAll?.();
    this.unwatchAll = undefined;
  }

  private observe({ type, resource, object }: ObjectEvent): void {
    const keys = this.quotas.get(object.metadata.namespace ?? '');
    if (!keys || type === 'ADDED') return;
    if (type === 'DELETED' || CHANGING.has(collectionOf(resource))) for (const key of keys) this.queue.add(key);
  }

  private async process(key: string): Promise<void> {
    const { client } = this.context;
    const [namespace, name] = splitKey(key);
    const quota = client.get(QUOTAS, namespace, name);
    if (!quota) return;
    const hard = resourceList(mapping(quota['spec'])['hard']);
    const status = mapping(quota['status']);
    const used = maskResources(this.count(quota, hard), hard.keys());
    const known = maskResources(resourceList(status['used']), hard.keys());
    // What cannot be counted here keeps its last value.
    const next = new Map([...known, ...used]);
    const isKnown = status['used'] !== undefined && equalResources(next, resourceList(status['used']));
    if (isKnown && isSettled(quota)) return;
    const updated = { ...quota, status: { hard: resourceFields(hard), used: resourceFields(next) } };
    await ignoringGone(client.update(QUOTAS, namespace, name, updated, 'status'));
  }

  private count(quota: KubeObject, hard: ResourceList): ResourceList {
    const { client, clock } = this.context;
    const { namespace = '' } = quota.metadata;
    const zero = { nanos: 0n, form: 'decimal' } as const;
    let total: ResourceList = new Map();
    for (const resource of client.resources()) {
      const collection = collectionOf(resource);
      const names = resource.namespaced ? quotaNames(collection, hard.keys()) : [];
      if (names.length === 0) continue;
      total = addResources(new Map(names.map((name) => [name, zero])), total);
      for (const object of client.list(resource, namespace)) {
        if (!quotaMatches(quota, collection, object, hard)) continue;
        total = addResources(total, maskResources(quotaUsage(collection, object, clock.now()), names));
      }
    }
    return total;
  }
}

function isSettled({ spec, status }: KubeObject): boolean {
  const { hard = {} } = mapping(spec);
  const state = mapping(status);
  return state['used'] !== undefined && jsonEqual(hard, state['hard'] ?? {});
}

function collectionOf({ plural, group }: ApiResource): string {
  return group ? `${plural}.${group}` : plural;
}
