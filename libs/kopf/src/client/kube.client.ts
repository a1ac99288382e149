// client: everything that is said to the API server, and how. http/ is the transport with its connections, budget, and retries;
// vault/ logs in and keeps credentials; api/ discovers, reads, patches, and posts; watch/ keeps one watch alive as a state machine.
// It knows nothing of handlers: KubeClient serves users' own requests over the same connections.
// May import: common, objects, resources, settings, and state.

import { ApplySet, type ApplySetOptions, type ApplySetResult } from './apply.set.js';
import { ApiNotFoundError } from './api/api.errors.js';
import type { Clock } from '../common/clock.js';
import { readPages, type KubeList } from './api/kube.list.js';
import { toJsonValue } from '../objects/json-values.js';
import type { KubeObject } from '../objects/kube-object.js';
import type { KopfLogger } from '../common/kopf.logger.js';
import type { Random } from '../common/random.js';
import { type Resource, resourceUrl, type ResourceUrlOptions } from '../resources/resources.js';
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
import { ResourceResolver, type ResourceReference } from './api/resource.resolver.js';
import { WatchSource } from './watch/watch.source.js';
import type { KubeWatchEvent } from './watch/watch.event.js';
import { InspectedAs } from '../common/inspection.js';

/** Lists the dependencies of the client. */
export interface KubeClientOptions {
  readonly api: KubeApi;
  readonly settings: KopfSettings;
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: KopfLogger;
}

type Query = ResourceUrlOptions['query'];

/**
 * Objects of any kind, as plain JSON, over the operator's own connections, credentials, and retries.
 *
 * All methods reject with an `ApiError` of the answer's status, with a `ConnectionError`, with a `LoginError`,
 * or with an `UnknownResourceError` if the server has no such kind.
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
    this.resolver = new ResourceResolver(new DiscoveryClient(options.api, options.logger));
  }

  /** Finds the resource that is meant. */
  resolve(reference: ResourceReference): Promise<Resource> {
    return this.resolver.resolve(reference);
  }

  async get<T extends KubeObject = KubeObject>(
    reference: ResourceReference,
    name: string,
    options: KubeObjectOptions = {},
  ): Promise<T> {
    return this.options.api.get(await this.locate(reference, name, options), callOptions(options));
  }

  /** Gets one page of a list; by default, it is the only one. */
  async list<T extends KubeObject = KubeObject>(
    reference: ResourceReference,
    options: KubePageOptions = {},
  ): Promise<KubeList<T>> {
    const { namespace, labelSelector, fieldSelector, limit, continue: token, signal } = options;
    const query = { labelSelector, fieldSelector, limit, continue: token };
    const resource = await this.resolve(reference);
    return this.options.api.list(resourceUrl(resource, { namespace, query }), callOptions({ signal }));
  }

  /** Iterates over all objects of one version, page by page. */
  async *listAll<T extends KubeObject = KubeObject>(
    reference: ResourceReference,
    options: KubeListOptions = {},
  ): AsyncGenerator<T, void, undefined> {
    const limit = this.options.settings.watching.pageSize;
    const pages = readPages<T>((token) => this.list(reference, { ...options, limit, continue: token }));
    for await (const { items } of pages) yield* items;
  }

  /**
   * Iterates over the existing objects, as events of the type `null`, and then over the changes as they happen,
   * through interruptions of all sorts, until the signal is aborted or the loop is left.
   */
  async *watch(
    reference: ResourceReference,
    options: KubeListOptions = {},
  ): AsyncGenerator<KubeWatchEvent, void, undefined> {
    const { signal, ...selection } = options;
    const { settings, ...tools } = this.options;
    const resource = await this.resolve(reference);
    const source = new WatchSource({ ...tools, ...selection, resource, settings: settings.watching });
    yield* new EventBuffer<KubeWatchEvent>().iterate(signal, (push, stop) =>
      source.run((event) => event !== 'LISTED' && push(event), stop),
    );
  }

  /**
   * Creates the object; its API version and kind tell of which resource.
   *
   * A name is made of a `generateName` here, as API servers do, so that a request whose answer was lost creates no second object.
   *
   * @throws ApiConflictError with `afterLostAnswer` if the object may have been created by this very call.
   */
  async create<T extends KubeObject>(object: T, options: KubeWriteOptions = {}): Promise<T> {
    const { resource, namespace } = await this.place(object, options);
    const { api, random } = this.options;
    const { name, generateName } = object.metadata;
    const { subresource } = options;
    const place = { namespace, name: subresource && name, subresource };
    const collection = resourceUrl(resource, { ...place, query: toQuery(options) });
    if (subresource || name || !generateName) return api.post(collection, object, callOptions(options));
    const pathOf = (made: string): string => resourceUrl(resource, { namespace, name: made });
    return createUnderGeneratedName(api, random, { object, collection, pathOf, options: callOptions(options) });
  }

  /** Replaces the object; if it has a resource version, only if it is still the newest one. */
  async replace<T extends KubeObject>(object: T, options: KubeWriteOptions = {}): Promise<T> {
    const url = await this.locateObject(object, options, toQuery(options));
    return this.options.api.put(url, object, callOptions(options));
  }

  async patch<T extends KubeObject = KubeObject>(
    reference: ResourceReference,
    name: string,
    patch: object,
    options: KubePatchOptions = {},
  ): Promise<T> {
    checkBody(patch, 'patch');
    const url = await this.locate(reference, name, options, toQuery(options));
    return this.options.api.patch(url, options.type ?? 'merge', patch, callOptions(options));
  }

  /** Creates the object or changes it to be as given, by server-side apply. */
  async apply<T extends KubeObject>(object: T, options: KubeApplyOptions): Promise<T> {
    const query = { ...toQuery(options), force: options.force || undefined };
    const url = await this.locateObject(object, options, query);
    return this.options.api.patch(url, 'apply', object, callOptions(options));
  }

  /**
   * Applies all objects that a parent is to have, by server-side apply, and deletes those of the same parent that are not among them any
   * more: those that an earlier call has applied. Objects are marked by the labels of the specification of ApplySets.
   *
   * Nothing is deleted if any object could not be applied. Objects without a namespace get that of the parent.
   *
   * @throws Error also if the set belongs to another tool.
   *
   * @example
   * await client.applySet(body, [adopt(deployment), adopt(service)], { fieldManager: 'claims' });
   */
  applySet(parent: KubeObject, objects: readonly KubeObject[], options: ApplySetOptions): Promise<ApplySetResult> {
    return new ApplySet(this, parent, options).apply(objects);
  }

  /**
   * Deletes the object; it can stay for a while, if something must be finished before. Objects whose names are used
   * again at once should be given with the precondition of a `uid`, as the request may be repeated.
   */
  async delete(reference: ResourceReference, name: string, options: KubeDeleteOptions = {}): Promise<void> {
    const { propagationPolicy, gracePeriodSeconds, preconditions, dryRun, signal } = options;
    const url = await this.locate(reference, name, options);
    const payload = { propagationPolicy, gracePeriodSeconds, preconditions, dryRun: dryRun ? ['All'] : undefined };
    const isPlain = Object.values(payload).every((value) => value === undefined);
    try {
      await this.options.api.delete(url, isPlain ? undefined : payload, callOptions({ signal }));
    } catch (error) {
      // An earlier attempt has deleted it, though its answer was lost.
      if (!(error instanceof ApiNotFoundError && error.afterLostAnswer)) throw error;
    }
  }

  /** Iterates over the lines of a pod's log. */
  async *logs(pod: string, options: KubeLogOptions = {}): AsyncGenerator<string, void, undefined> {
    const { namespace, signal, ...query } = options;
    const url = await this.locate('pods.v1', pod, { namespace, subresource: 'log' }, { ...query });
    const response = await this.options.api.stream(url, { signal, headers: { accept: 'text/plain, */*' } });
    const splitter = new LineSplitter({ keepEmpty: true });
    const lines: string[] = [];
    for await (const chunk of response.chunks()) {
      splitter.push(chunk, (line) => lines.push(line));
      yield* lines.splice(0);
    }
    const rest = splitter.flush();
    if (rest) yield rest;
  }

  private async locate(
    reference: ResourceReference,
    name: string,
    { namespace, subresource }: KubeObjectOptions,
    query?: Query,
  ): Promise<string> {
    const resource = await this.resolve(reference);
    return resourceUrl(resource, { namespace: this.defaultTo(resource, namespace), name, subresource, query });
  }

  private async locateObject(object: KubeObject, options: KubeObjectOptions, query: Query): Promise<string> {
    const { resource, namespace } = await this.place(object, options);
    const { name } = object.metadata;
    if (!name) throw new TypeError(`The object of ${resource.kind} has no name.`);
    return resourceUrl(resource, { namespace, name, subresource: options.subresource, query });
  }

  private async place(object: KubeObject, options: KubeObjectOptions) {
    checkBody(object, 'object');
    const { apiVersion, kind, metadata } = object;
    if (!apiVersion || !kind) throw new TypeError('The object has no apiVersion or no kind.');
    const resource = await this.resolve({ apiVersion, kind });
    return { resource, namespace: this.defaultTo(resource, options.namespace ?? metadata.namespace) };
  }

  private defaultTo(resource: Resource, namespace: string | undefined): string | undefined {
    return resource.namespaced ? namespace || this.options.api.defaultNamespace || 'default' : undefined;
  }
}

/** Refuses what would not arrive as it was given: JSON makes `null` of `NaN`, and nothing of a `Map` or a function. */
function checkBody(body: unknown, title: string): void {
  if (body === undefined || body === null) throw new TypeError(`The ${title} is ${body}.`);
  if (typeof body !== 'object') throw new TypeError(`The ${title} is a ${typeof body}.`);
  toJsonValue(body, title);
}

/** A refused permission is the caller's to know, at once. */
function callOptions({ signal }: { signal?: AbortSignal }): ApiCallOptions {
  return { signal, retries: 'transient' };
}

function toQuery({ fieldManager, dryRun }: KubeWriteOptions): Query {
  return { fieldManager, dryRun: dryRun ? 'All' : undefined };
}
