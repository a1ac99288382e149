// client: all communication with the API server. http/ is the transport with its connections, budget, and retries; vault/ logs in and keeps
// credentials; api/ discovers, reads, patches, and posts; watch/ keeps one watch alive as a state machine. The folder knows nothing of
// handlers: KubeClient serves users' requests over the same connections.
// May import: common, objects, resources, settings, and state.

import { ApplySet, type ApplySetOptions, type ApplySetResult } from './apply.set.js';
import { ApiNotFoundError } from './api/api.errors.js';
import type { Clock, Random } from 'kube-common';
import { readPages, type KubeList } from './api/kube.list.js';
import { toJsonValue } from '../objects/json-values.js';
import type { KubeObject } from '../objects/kube-object.js';
import type { KopfLogger } from '../common/kopf.logger.js';
import { checkName } from '../resources/object.names.js';
import { type Resource, resourceUrl, type ResourceUrlOptions } from '../resources/resources.js';
import { pageLimit } from '../settings/client.settings.js';
import type { KopfSettings } from '../settings/kopf.settings.js';
import type { ApiCallOptions, KubeApi } from './api/api.client.js';
import { DiscoveryClient } from './api/discovery.client.js';
import { EventBuffer } from './event.buffer.js';
import type {
  KubeApplyOptions,
  KubeDeleteOptions,
  KubeListOptions,
  KubeLogOptions,
  KubeObjectOptions,
  KubePageOptions,
  KubePatchOptions,
  KubeWriteOptions,
} from './kube.client.options.js';
import { LineSplitter } from './http/line.splitter.js';
import { createUnderGeneratedName } from './api/object.creation.js';
import { isResourceMissing, ResourceResolver, type ResourceReference } from './api/resource.resolver.js';
import { WatchSource } from './watch/watch.source.js';
import type { KubeWatchEvent } from './watch/watch.event.js';
import { InspectedAs } from '../common/inspection.js';

/** The dependencies of the client. */
export interface KubeClientOptions {
  readonly api: KubeApi;
  readonly settings: KopfSettings;
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: KopfLogger;
}

type Query = ResourceUrlOptions['query'];

/**
 * The client for objects of any kind, as plain JSON, over the operator's own connections, credentials, and retries.
 *
 * All methods reject with an `ApiError` by the status of the response, a `ConnectionError`, a `LoginError`, or an `UnknownResourceError` if
 * the server has no such kind. Names that are empty, blank, not a text, or lead to another path (`..`, `a/b`) are rejected with a
 * `TypeError` before a request is sent, and so is an empty namespace of an object.
 *
 * @example
 * const pod = await client.get('pods', 'web', { namespace: 'default' });
 * await client.patch('deployments.apps', 'web', { spec: { replicas: 3 } });
 * for await (const secret of client.listAll('secrets', { labelSelector: 'app=web' })) console.log(secret.metadata.name);
 */
@InspectedAs<KubeClient>(() => ({}))
export class KubeClient {
  private readonly resolver: ResourceResolver;

  /** @internal */
  constructor(private readonly options: KubeClientOptions) {
    this.resolver = new ResourceResolver(new DiscoveryClient(options.api, options.logger), options.clock);
  }

  /** Finds the resource of a reference. */
  resolve(reference: ResourceReference): Promise<Resource> {
    return this.resolver.resolve(reference);
  }

  async get<T extends KubeObject = KubeObject>(
    reference: ResourceReference,
    name: string,
    options: KubeObjectOptions = {},
  ): Promise<T> {
    return this.onObject('get', reference, name, options, undefined, (url) =>
      this.options.api.get(url, callOptions(options)),
    );
  }

  /** Gets one page of a list; by default, it is the only one. */
  async list<T extends KubeObject = KubeObject>(
    reference: ResourceReference,
    options: KubePageOptions = {},
  ): Promise<KubeList<T>> {
    const { namespace, labelSelector, fieldSelector, limit, continue: token, signal } = options;
    const query = { labelSelector, fieldSelector, limit, continue: token };
    return this.onResource(reference, (resource) =>
      this.options.api.list(resourceUrl(resource, { namespace, query }), callOptions({ signal })),
    );
  }

  /** Iterates over all objects of one version, page by page. */
  async *listAll<T extends KubeObject = KubeObject>(
    reference: ResourceReference,
    options: KubeListOptions = {},
  ): AsyncGenerator<T, void, undefined> {
    const limit = pageLimit(this.options.settings.watching);
    const pages = readPages<T>((token) => this.list(reference, { ...options, limit, continue: token }));
    for await (const { items } of pages) yield* items;
  }

  /**
   * Iterates over the existing objects, as events of the type `null`, and then over the changes, in spite of interruptions, until the
   * signal is aborted or the loop is left.
   */
  async *watch(
    reference: ResourceReference,
    options: KubeListOptions = {},
  ): AsyncGenerator<KubeWatchEvent, void, undefined> {
    const { signal, ...selection } = options;
    const { settings, ...tools } = this.options;
    const resource = await this.resolve(reference);
    const relocate = this.createRelocation(reference, resource);
    const source = new WatchSource({ ...tools, ...selection, resource, relocate, settings: settings.watching });
    yield* new EventBuffer<KubeWatchEvent>().iterate(signal, (push, stop) =>
      source.run((event) => event !== 'LISTED' && push(event), stop),
    );
  }

  /**
   * Creates the object, of the resource of its API version and kind.
   *
   * A name for a `generateName` is generated here, as API servers do, so that a request whose response was lost creates no second object.
   *
   * @throws ApiConflictError with `afterLostAnswer` if the object may have been created by this very call.
   */
  async create<T extends KubeObject>(object: T, options: KubeWriteOptions = {}): Promise<T> {
    checkBody(object, 'object');
    const { name, generateName } = object.metadata ?? {};
    const { subresource } = options;
    // The subresource of an object needs the name of the object. An empty name counts as absent, as for API servers.
    if (subresource !== undefined || name) checkName(name, 'KubeClient.create(): metadata.name of the object');
    return this.onPlace('create', object, options, async (resource, namespace) => {
      // Reviews are requests without a stored object, and have no names; objects that can be read have one.
      if (!name && !generateName && resource.verbs.includes('get')) {
        checkName(
          name,
          `KubeClient.create(): metadata.name of the ${resource.kind}, which has no generateName either,`,
        );
      }
      const { api, random } = this.options;
      const place = { namespace, name: subresource && name, subresource };
      const collection = resourceUrl(resource, { ...place, query: toQuery(options) });
      if (subresource || name || !generateName) return api.post<T>(collection, object, callOptions(options));
      const pathOf = (made: string): string => resourceUrl(resource, { namespace, name: made });
      return createUnderGeneratedName(api, random, { object, collection, pathOf, options: callOptions(options) });
    });
  }

  /** Replaces the object. If it has a resource version, this must be the newest one. */
  async replace<T extends KubeObject>(object: T, options: KubeWriteOptions = {}): Promise<T> {
    return this.onNamed('replace', object, options, toQuery(options), (url) =>
      this.options.api.put(url, object, callOptions(options)),
    );
  }

  async patch<T extends KubeObject = KubeObject>(
    reference: ResourceReference,
    name: string,
    patch: object,
    options: KubePatchOptions = {},
  ): Promise<T> {
    checkBody(patch, 'patch');
    return this.onObject('patch', reference, name, options, toQuery(options), (url) =>
      this.options.api.patch(url, options.type ?? 'merge', patch, callOptions(options)),
    );
  }

  /** Creates the object, or changes it to be as given, by server-side apply. */
  async apply<T extends KubeObject>(object: T, options: KubeApplyOptions): Promise<T> {
    const query = { ...toQuery(options), force: options.force || undefined };
    return this.onNamed('apply', object, options, query, (url) =>
      this.options.api.patch(url, 'apply', object, callOptions(options)),
    );
  }

  /**
   * Applies all objects that a parent is to have, by server-side apply, and deletes the other objects that an earlier call has applied for
   * the same parent. The objects are marked by the labels of the specification of ApplySets.
   *
   * Nothing is deleted if any object could not be applied. Objects without a namespace get that of the parent.
   *
   * @throws Error also if the set belongs to another tool.
   *
   * @example
   * await client.applySet(body, [adopt(deployment), adopt(service)], { fieldManager: 'claims' });
   */
  async applySet(
    parent: KubeObject,
    objects: readonly KubeObject[],
    options: ApplySetOptions,
  ): Promise<ApplySetResult> {
    checkName(parent?.metadata?.name, 'KubeClient.applySet(): metadata.name of the parent');
    for (const { kind, metadata } of objects) {
      checkName(metadata?.name, `KubeClient.applySet(): metadata.name of a ${kind} of the objects`);
    }
    return new ApplySet(this, parent, options).apply(objects);
  }

  /**
   * Deletes the object. It may still exist for a while if it has finalizers. An object whose name is reused soon should be given with the
   * precondition of a `uid`, as the request may be repeated.
   */
  async delete(reference: ResourceReference, name: string, options: KubeDeleteOptions = {}): Promise<void> {
    const { propagationPolicy, gracePeriodSeconds, preconditions, dryRun, signal } = options;
    const payload = { propagationPolicy, gracePeriodSeconds, preconditions, dryRun: dryRun ? ['All'] : undefined };
    const isPlain = Object.values(payload).every((value) => value === undefined);
    try {
      await this.onObject('delete', reference, name, options, undefined, (url) =>
        this.options.api.delete(url, isPlain ? undefined : payload, callOptions({ signal })),
      );
    } catch (error) {
      // An earlier attempt has deleted the object, but its response was lost.
      if (!(error instanceof ApiNotFoundError && error.afterLostAnswer)) throw error;
    }
  }

  /** Iterates over the lines of a pod's log. */
  async *logs(pod: string, options: KubeLogOptions = {}): AsyncGenerator<string, void, undefined> {
    const { namespace, signal, ...query } = options;
    checkName(pod, 'KubeClient.logs(): the argument pod');
    const place = { namespace, subresource: 'log' };
    const response = await this.onObject('logs', 'pods.v1', pod, place, { ...query }, (url) =>
      this.options.api.stream(url, { signal, headers: { accept: 'text/plain, */*' } }),
    );
    const splitter = new LineSplitter({ keepEmpty: true });
    const lines: string[] = [];
    for await (const chunk of response.chunks()) {
      splitter.push(chunk, (line) => lines.push(line));
      yield* lines.splice(0);
    }
    const rest = splitter.flush();
    if (rest) yield rest;
  }

  /** Acts on a resource, and once more if the server serves it differently now. */
  private async onResource<T>(reference: ResourceReference, action: (resource: Resource) => Promise<T>): Promise<T> {
    const resource = await this.resolve(reference);
    try {
      return await action(resource);
    } catch (error) {
      if (!(error instanceof ApiNotFoundError) || !isResourceMissing(error)) throw error;
      const renewed = await this.resolver.renew(reference, resource);
      if (!renewed) throw error;
      return action(renewed);
    }
  }

  private async onObject<T>(
    method: string,
    reference: ResourceReference,
    name: string,
    { namespace: given, subresource }: KubeObjectOptions,
    query: Query,
    action: (url: string) => Promise<T>,
  ): Promise<T> {
    checkName(name, `KubeClient.${method}(): the argument name`);
    checkOptions(method, { namespace: given, subresource });
    return this.onResource(reference, async (resource) => {
      const namespace = this.namespaceOf(method, resource, given);
      return action(resourceUrl(resource, { namespace, name, subresource, query }));
    });
  }

  private async onNamed<T>(
    method: string,
    object: KubeObject,
    options: KubeObjectOptions,
    query: Query,
    action: (url: string) => Promise<T>,
  ): Promise<T> {
    checkBody(object, 'object');
    const name = object.metadata?.name;
    checkName(name, `KubeClient.${method}(): metadata.name of the ${object.kind ?? 'object'}`);
    const { subresource } = options;
    return this.onPlace(method, object, options, async (resource, namespace) =>
      action(resourceUrl(resource, { namespace, name, subresource, query })),
    );
  }

  private async onPlace<T>(
    method: string,
    object: KubeObject,
    options: KubeObjectOptions,
    action: (resource: Resource, namespace: string | undefined) => Promise<T>,
  ): Promise<T> {
    const { apiVersion, kind, metadata } = object;
    if (!apiVersion || !kind) throw new TypeError('The object has no apiVersion or no kind.');
    const namespace = options.namespace === undefined ? metadata?.namespace : options.namespace;
    checkOptions(method, { namespace, subresource: options.subresource });
    return this.onResource({ apiVersion, kind }, async (resource) =>
      action(resource, this.namespaceOf(method, resource, namespace)),
    );
  }

  /**
   * Returns the function that finds the resource again for a watch, as it is served then; without a response, the watch asks again later.
   */
  private createRelocation(reference: ResourceReference, resource: Resource): () => Promise<Resource | undefined> {
    let current = resource;
    return async () => {
      const renewed = await this.resolver.renew(reference, current).catch(() => undefined);
      if (renewed) current = renewed;
      return renewed;
    };
  }

  /** Returns the namespace of an object. An empty namespace is an error of the caller, and is not replaced by the default. */
  private namespaceOf(method: string, resource: Resource, namespace: string | undefined): string | undefined {
    if (!resource.namespaced) return undefined;
    if (namespace === undefined) return this.options.api.defaultNamespace || 'default';
    checkName(namespace, `KubeClient.${method}(): the namespace of the ${resource.kind}`);
    return namespace;
  }
}

/** Checks the options that can be checked without the resource. Objects without namespaces may be given an empty one. */
function checkOptions(method: string, { namespace, subresource }: KubeObjectOptions): void {
  if (namespace) checkName(namespace, `KubeClient.${method}(): the namespace`);
  if (subresource !== undefined) checkName(subresource, `KubeClient.${method}(): the option subresource`);
}

/** Rejects a body that JSON would change: it turns `NaN` into `null`, and a `Map` or a function into nothing. */
function checkBody(body: unknown, title: string): void {
  if (body === undefined || body === null) throw new TypeError(`The ${title} is ${body}.`);
  if (typeof body !== 'object') throw new TypeError(`The ${title} is a ${typeof body}.`);
  toJsonValue(body, title);
}

/** Returns the options of a call. A missing permission is not retried, but reported to the caller at once. */
function callOptions({ signal }: { signal?: AbortSignal }): ApiCallOptions {
  return { signal, retries: 'transient' };
}

function toQuery({ fieldManager, dryRun }: KubeWriteOptions): Query {
  return { fieldManager, dryRun: dryRun ? 'All' : undefined };
}
