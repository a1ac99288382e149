import { readPages, type KubeList } from './kube.list.js';
import { Injectable } from '@nestjs/common';
import type { KubeObject, ObjectMeta } from '../../objects/kube-object.js';
import { ApiNotFoundError } from './api.errors.js';
import { selectName } from '../../resources/object.names.js';
import { type Resource, resourceUrl, resourceApiVersion } from '../../resources/resources.js';
import { KubeApi } from './api.client.js';
import type { ObjectSelector } from '../../resources/object-selector.js';
import { InjectOwn } from '../../kopf.tokens.js';
import { joinSelectors, type ServerSelectors } from '../watch/server.selectors.js';
import { METADATA_LIST } from '../watch/watch.requests.js';

/** Waits for the response to a request; `undefined` if the API server has found nothing. */
export async function ifFound<T>(request: Promise<T>): Promise<T | undefined> {
  try {
    return await request;
  } catch (error) {
    if (error instanceof ApiNotFoundError) return undefined;
    throw error;
  }
}

/** The identity of an object, as a part of its metadata. */
export type ReadTarget = Pick<ObjectMeta, 'name' | 'namespace' | 'uid'>;

/** The reader of single objects in the newest state of the API server. It needs the permission to list them, which each operator has. */
@Injectable()
export class ObjectReader {
  constructor(@InjectOwn(KubeApi) private readonly api: KubeApi) {}

  /**
   * Reads one object.
   *
   * @param retries `false` for a single attempt.
   * @returns `undefined` if the object does not exist any more, even if another object has its name.
   * @throws ApiError, ConnectionError, LoginError after all retries.
   */
  async read(
    resource: Resource,
    identity: ReadTarget,
    signal?: AbortSignal,
    retries?: false,
  ): Promise<KubeObject | undefined> {
    const [found] = (await this.listNamed(resource, identity, signal, retries))?.items ?? [];
    return found?.metadata.uid === identity.uid ? found : undefined;
  }

  /** Lists the objects with the name of an object: the object itself, another one, or none. `undefined` if the resource is gone. */
  listNamed(
    resource: Resource,
    identity: ReadTarget,
    signal?: AbortSignal,
    retries?: false,
  ): Promise<KubeList | undefined> {
    const { namespace, name } = identity;
    return this.list(resource, namespace, { fieldSelector: selectName(name) }, signal, retries);
  }

  /** Reads the first object that the query selects. */
  async find(
    resource: Resource,
    namespace: string | undefined,
    query: Readonly<Record<string, string | undefined>>,
    signal?: AbortSignal,
  ): Promise<KubeObject | undefined> {
    return (await this.list(resource, namespace, query, signal))?.items?.[0];
  }

  /** Lists the objects that the query selects; `undefined` if the resource is gone, and all its objects with it. */
  list(
    resource: Resource,
    namespace: string | undefined,
    query: Readonly<Record<string, string | undefined>>,
    signal?: AbortSignal,
    retries?: false,
  ): Promise<KubeList | undefined> {
    return ifFound(this.api.list(resourceUrl(resource, { namespace, query }), { signal, retries }));
  }
}

/** The status of an object that a watch with a selector does not show any more. */
export type SelectorStatus =
  /** The object does not exist. The version is that of the cluster at that time, if it is known. */
  | { readonly fate: 'gone'; readonly version?: string }
  /** The object exists, but is not selected. */
  | { readonly fate: 'left'; readonly object: KubeObject }
  | { readonly fate: 'selected' };

/** The reader of objects regardless of the selectors of handlers. It needs only the permission to list them. */
export class UnfilteredReader {
  private readonly reader: ObjectReader;

  constructor(
    private readonly api: KubeApi,
    private readonly resource: Resource,
    private readonly selector: ObjectSelector,
    private readonly limit: number,
    /** The selectors of the settings: objects that they do not select count as gone. */
    private readonly settled: ServerSelectors = {},
  ) {
    this.reader = new ObjectReader(api);
  }

  /** Requests the status of an object, which is identified by its name and its uid. */
  async fetchStatus({ metadata }: KubeObject, signal?: AbortSignal): Promise<SelectorStatus> {
    const { namespace, name, uid } = metadata;
    const named = joinSelectors(selectName(name), this.settled.fieldSelector);
    const list = await this.reader.list(this.resource, namespace, { ...this.settled, fieldSelector: named }, signal);
    const [object] = list?.items ?? [];
    if (!object || object.metadata.uid !== uid) return { fate: 'gone', version: list?.metadata.resourceVersion };
    const { labelSelector, fieldSelector } = this.selector;
    if (!this.selector.checkLabels(object)) return { fate: 'left', object };
    if (fieldSelector === undefined) return { fate: 'selected' };
    // Field selectors are evaluated by the server, as only the server knows the fields of the resource.
    const query = { labelSelector, fieldSelector: `${selectName(name)},${fieldSelector}` };
    const selected = await this.reader.find(this.resource, namespace, query, signal);
    return selected?.metadata.uid === uid ? { fate: 'selected' } : { fate: 'left', object };
  }

  /** Iterates over all objects, selected or not, page by page; most servers send only their metadata. */
  async *listAll(namespace: string | undefined, signal?: AbortSignal): AsyncGenerator<KubeObject, void, undefined> {
    const identity = { apiVersion: resourceApiVersion(this.resource), kind: this.resource.kind };
    const pages = readPages((token) => {
      const query = { limit: this.limit, continue: token, ...this.settled };
      const path = resourceUrl(this.resource, { namespace, query });
      return this.api.list(path, { signal, headers: { accept: METADATA_LIST } });
    });
    for await (const { items } of pages) for (const { metadata } of items ?? []) yield { ...identity, metadata };
  }
}
