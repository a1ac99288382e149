import type { ResourceRegistry } from '../resources/resource.registry.js';
import { unknownResource } from '../errors/status.errors.js';
import type { ApiResource } from '../resources/api-resource.js';
import type {
  ControllerApplyOptions,
  ControllerClient,
  ControllerDeleteOptions,
  ObjectEvent,
  ResourceId,
} from './controller.js';
import type { KubeObject } from '../resources/kube-object.js';
import type { ApiUser } from '../machinery/api.user.js';
import type { StorageEvent, StoredObject, WriteCause } from '../storage/stored.object.js';
import type { ObjectMachinery } from '../machinery/object.machinery.js';
import { patchChange } from '../machinery/patch.change.js';
import type { ServedResource } from '../resources/served.resource.js';
import type { WriteOptions } from '../machinery/write.options.js';

/** Access to the server from the same process, as one user and under one name: the controllers', and that of tests. */
export class MachineryClient implements ControllerClient {
  private readonly cause: WriteCause;

  constructor(
    private readonly registry: ResourceRegistry,
    private readonly machinery: ObjectMachinery,
    private readonly user: ApiUser,
    private readonly userAgent: string,
  ) {
    this.cause = { user: user.name, userAgent };
  }

  resources(): readonly ApiResource[] {
    return this.registry.stored().map(({ resource }) => resource);
  }

  resourceOf(apiVersion: string, kind: string): ApiResource | undefined {
    return this.registry.findKind(apiVersion, kind)?.resource;
  }

  get(resource: ResourceId, namespace: string | undefined, name: string): KubeObject | undefined {
    const served = this.find(resource);
    return served && this.collection(served).get(namespace ?? '', name)?.object;
  }

  list(resource: ResourceId, namespace?: string): readonly KubeObject[] {
    const served = this.find(resource);
    return served
      ? this.collection(served)
          .list(namespace)
          .map(({ object }) => object)
      : [];
  }

  async create(resource: ResourceId, namespace: string | undefined, object: object): Promise<KubeObject> {
    const served = this.require(resource);
    const body = { ...object, apiVersion: served.apiVersion, kind: served.resource.kind };
    return (await this.machinery.creator.create(served, namespace ?? '', body, this.writer)).object;
  }

  async update(
    resource: ResourceId,
    namespace: string | undefined,
    name: string,
    object: object,
    subresource?: string,
  ): Promise<KubeObject> {
    const served = this.require(resource);
    const target = { namespace: namespace ?? '', name, ...(subresource && { subresource }) };
    const body = { ...object, apiVersion: served.apiVersion, kind: served.resource.kind };
    return (await this.machinery.updater.replace(served, target, body, this.writer)).object;
  }

  async patch(
    resource: ResourceId,
    namespace: string | undefined,
    name: string,
    patch: object,
    subresource?: string,
  ): Promise<KubeObject> {
    const served = this.require(resource);
    const target = { namespace: namespace ?? '', name, ...(subresource && { subresource }) };
    const change = patchChange(served, 'merge', patch);
    return (await this.machinery.updater.change(served, target, change, 'patch', this.writer)).object;
  }

  async apply(
    resource: ResourceId,
    namespace: string | undefined,
    name: string,
    configuration: object,
    { subresource, ...options }: ControllerApplyOptions,
  ): Promise<KubeObject> {
    const served = this.require(resource);
    const target = { namespace: namespace ?? '', name, ...(subresource && { subresource }) };
    const body = {
      metadata: { name, ...(namespace && { namespace }) },
      ...configuration,
      apiVersion: served.apiVersion,
      kind: served.resource.kind,
    };
    const { stored } = await this.machinery.applier.apply(served, target, body, { ...this.writer, ...options });
    return stored.object;
  }

  async delete(
    resource: ResourceId,
    namespace: string | undefined,
    name: string,
    options: ControllerDeleteOptions = {},
  ): Promise<void> {
    await this.machinery.deleter.delete(this.require(resource), namespace ?? '', name, {
      ...options,
      user: this.user,
      cause: this.cause,
    });
  }

  watch(resource: ResourceId | 'all', listener: (event: ObjectEvent) => void): () => void {
    const { store } = this.machinery;
    if (resource === 'all') return store.subscribe((event) => this.tell(event, listener));
    const served = this.require(resource);
    return this.collection(served).subscribe((event) => this.tell(event, listener, served));
  }

  private get writer(): Pick<WriteOptions, 'user' | 'userAgent' | 'cause'> {
    return { user: this.user, userAgent: this.userAgent, cause: this.cause };
  }

  private tell(event: StorageEvent, listener: (event: ObjectEvent) => void, known?: ServedResource): void {
    const { apiVersion, kind } = event.current.object;
    const resource = (known ?? this.registry.findKind(apiVersion, kind))?.resource;
    if (!resource) return;
    listener(new ToldEvent(event.type, resource, event.current.object, event.previous));
  }

  private collection({ storageKey }: ServedResource) {
    return this.machinery.store.collection(storageKey);
  }

  private find({ group, plural, version }: ResourceId): ServedResource | undefined {
    return version ? this.registry.find(group, version, plural) : this.registry.findAny(group, plural);
  }

  private require(resource: ResourceId): ServedResource {
    const served = this.find(resource);
    if (!served) throw unknownResource();
    return served;
  }
}

/** A change as controllers are told it. Few of them look at what was before, which may have to be parsed. */
class ToldEvent implements ObjectEvent {
  constructor(
    readonly type: ObjectEvent['type'],
    readonly resource: ObjectEvent['resource'],
    readonly object: KubeObject,
    private readonly before: StoredObject | undefined,
  ) {}

  get previous(): KubeObject | undefined {
    return this.before?.object;
  }
}
