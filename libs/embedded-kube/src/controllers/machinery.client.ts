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
    checkName('get', name);
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
    const served = this.locate('update', resource, namespace, name);
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
    const served = this.locate('patch', resource, namespace, name);
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
    const served = this.locate('apply', resource, namespace, name);
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
    const served = this.locate('delete', resource, namespace, name);
    await this.machinery.deleter.delete(served, namespace ?? '', name, {
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

  /** Returns the resource, if what is to be written is one object of it. */
  private locate(method: string, resource: ResourceId, namespace: string | undefined, name: string): ServedResource {
    checkName(method, name);
    const served = this.require(resource);
    if (served.resource.namespaced && !namespace?.trim()) {
      throw new TypeError(`ControllerClient.${method}(): ${served.resource.kind} ${name} needs a namespace.`);
    }
    return served;
  }

  private require(resource: ResourceId): ServedResource {
    const served = this.find(resource);
    if (!served) throw unknownResource();
    return served;
  }
}

/** Checks a name: a value that is no name must not mean all objects, or another one. */
function checkName(method: string, name: unknown): void {
  if (typeof name === 'string' && name.trim() !== '' && name !== '.' && name !== '..' && !/[/%?]/.test(name)) return;
  const given = typeof name === 'string' ? JSON.stringify(name) : String(name);
  throw new TypeError(`ControllerClient.${method}(): the argument name must name one object, not ${given}.`);
}

/** A change in the form for controllers. Few of them look at the previous state, which may have to be parsed. */
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
