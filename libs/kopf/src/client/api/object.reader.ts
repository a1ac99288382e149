import { Inject, Injectable } from '@nestjs/common';
import type { KubeObject, ObjectMeta } from '../../objects/kube-object.interface.js';
import type { Resource } from '../../resources/resource.interface.js';
import { resourceUrl } from '../../resources/resources.js';
import { KubeApi } from './api.client.js';
import { ifFound } from './if-found.js';

/** Identifies an object by a part of its metadata. */
export type ObjectIdentity = Pick<ObjectMeta, 'name' | 'namespace' | 'uid'>;

/** Reads single objects as the newest state that the API server has. It needs the permission to list them, which every operator has. */
@Injectable()
export class ObjectReader {
  constructor(@Inject(KubeApi) private readonly api: KubeApi) {}

  /**
   * Reads one object.
   *
   * @returns `undefined` if it does not exist any more, even if another object has its name by now.
   * @throws ApiError, ConnectionError, LoginError after all retries.
   */
  async read(resource: Resource, identity: ObjectIdentity, signal?: AbortSignal): Promise<KubeObject | undefined> {
    const { namespace, name = '', uid } = identity;
    const found = await this.find(resource, namespace, { fieldSelector: `metadata.name=${name}` }, signal);
    return found?.metadata.uid === uid ? found : undefined;
  }

  /** Reads the first of the objects that the query selects. */
  async find(
    resource: Resource,
    namespace: string | undefined,
    query: Readonly<Record<string, string | undefined>>,
    signal?: AbortSignal,
  ): Promise<KubeObject | undefined> {
    // With the resource, all its objects have gone.
    const list = await ifFound(this.api.list(resourceUrl(resource, { namespace, query }), { signal }));
    return list?.items?.[0];
  }
}
