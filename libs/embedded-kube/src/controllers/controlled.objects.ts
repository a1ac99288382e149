import { type LabelSelector, labelSelectorOf, type LabelSelectorObject } from '../selectors/label.selector.js';
import type { KubeObject, OwnerReference } from '../resources/kube-object.js';
import type { ControllerClient, ObjectEvent, ResourceId } from './controller.js';
import { ignoringGone, objectKey } from './work.queue.js';

/** The owners of objects, and how the owner of an object is found. */
export interface OwnerRelation {
  /** The resource of the objects: pods, for example. */
  readonly resource: ResourceId;
  readonly owner: ResourceId;
  readonly ownerApiVersion: string;
  readonly ownerKind: string;
  /** The selector of an owner; undefined if it selects nothing. */
  readonly selectorOf: (owner: KubeObject) => LabelSelector | undefined;
}

/**
 * The objects that belong to the owners of one kind, by the uids of their owners, and those without an owner. An owner adopts objects
 * without one that match its selector, and releases what matches no more.
 */
export class ControlledObjects {
  private readonly owned = new Map<string, Map<string, KubeObject>>();
  private readonly orphans = new Map<string, Map<string, KubeObject>>();

  constructor(
    private readonly client: ControllerClient,
    private readonly relation: OwnerRelation,
    private readonly changed: (ownerKey: string) => void,
  ) {}

  /** Begins to follow the objects. @returns the function that ends it */
  start(): () => void {
    for (const object of this.client.list(this.relation.resource)) this.keep(object);
    return this.client.watch(this.relation.resource, (event) => this.observe(event));
  }

  /** Returns the objects of an owner, in the order in which they came. */
  of({ metadata }: KubeObject): KubeObject[] {
    return [...(this.owned.get(metadata.uid ?? '')?.values() ?? [])];
  }

  /** Adopts and releases objects. @returns the objects of the owner after that */
  async claim(owner: KubeObject): Promise<KubeObject[]> {
    const selector = this.relation.selectorOf(owner);
    const { namespace = '', uid = '', deletionTimestamp } = owner.metadata;
    if (selector && !deletionTimestamp) {
      for (const orphan of this.orphans.get(namespace)?.values() ?? []) {
        if (orphan.metadata.deletionTimestamp || !selector.matches(orphan.metadata.labels)) continue;
        const ownerReferences = [...(orphan.metadata.ownerReferences ?? []), this.referenceTo(owner)];
        await this.patch(orphan, { ownerReferences });
      }
    }
    for (const object of this.of(owner)) {
      if (!selector || selector.matches(object.metadata.labels) || object.metadata.deletionTimestamp) continue;
      const left = object.metadata.ownerReferences?.filter((reference) => reference.uid !== uid) ?? [];
      await this.patch(object, { ownerReferences: left.length ? left : null });
    }
    return this.of(owner);
  }

  /** Returns the reference that objects of the owner carry. */
  referenceTo({ metadata }: KubeObject): OwnerReference {
    const { ownerApiVersion: apiVersion, ownerKind: kind } = this.relation;
    const { name = '', uid = '' } = metadata;
    return { apiVersion, kind, name, uid, controller: true, blockOwnerDeletion: true };
  }

  private async patch({ metadata }: KubeObject, members: object): Promise<void> {
    const { namespace, name = '', uid, resourceVersion } = metadata;
    const patch = { metadata: { uid, resourceVersion, ...members } };
    await ignoringGone(this.client.patch(this.relation.resource, namespace, name, patch));
  }

  private observe({ type, object, previous }: ObjectEvent): void {
    if (previous) this.forget(previous);
    if (type === 'DELETED') this.forget(object);
    else this.keep(object);
    const before = previous && this.ownerOf(previous);
    const after = this.ownerOf(object);
    if (before && before.uid !== after?.uid) this.tell(object, before.name);
    if (after) this.tell(object, after.name);
    else if (type !== 'DELETED' && !controllerOf(object)) this.tellSelectors(object);
  }

  private tell({ metadata }: KubeObject, owner: string): void {
    this.changed(`${metadata.namespace ?? ''}/${owner}`);
  }

  private tellSelectors(object: KubeObject): void {
    for (const owner of this.client.list(this.relation.owner, object.metadata.namespace)) {
      if (this.relation.selectorOf(owner)?.matches(object.metadata.labels)) this.changed(objectKey(owner));
    }
  }

  private keep(object: KubeObject): void {
    const owner = this.ownerOf(object);
    if (owner) put(this.owned, owner.uid, object);
    else if (!controllerOf(object)) put(this.orphans, object.metadata.namespace ?? '', object);
  }

  private forget(object: KubeObject): void {
    const owner = this.ownerOf(object);
    if (owner) drop(this.owned, owner.uid, object);
    else drop(this.orphans, object.metadata.namespace ?? '', object);
  }

  private ownerOf(object: KubeObject): OwnerReference | undefined {
    const owner = controllerOf(object);
    const { ownerKind, ownerApiVersion } = this.relation;
    const isSameGroup = owner?.apiVersion.split('/')[0] === ownerApiVersion.split('/')[0];
    return owner?.kind === ownerKind && isSameGroup ? owner : undefined;
  }
}

/** Returns the owner that controls an object. */
export function controllerOf({ metadata }: KubeObject): OwnerReference | undefined {
  return metadata.ownerReferences?.find(({ controller }) => controller);
}

const SELECTORS = new WeakMap<object, LabelSelector>();

/** Returns the label selector of a workload's spec; undefined for an absent or empty one, which selects nothing of a workload's. */
export function specSelector({ spec }: KubeObject): LabelSelector | undefined {
  const { selector } = (spec ?? {}) as { selector?: LabelSelectorObject };
  if (!selector) return undefined;
  let parsed = SELECTORS.get(selector);
  if (!parsed) SELECTORS.set(selector, (parsed = labelSelectorOf(selector)));
  return parsed.isEmpty ? undefined : parsed;
}

function put(groups: Map<string, Map<string, KubeObject>>, group: string, object: KubeObject): void {
  let objects = groups.get(group);
  if (!objects) groups.set(group, (objects = new Map()));
  objects.set(objectKey(object), object);
}

function drop(groups: Map<string, Map<string, KubeObject>>, group: string, object: KubeObject): void {
  const objects = groups.get(group);
  objects?.delete(objectKey(object));
  if (objects?.size === 0) groups.delete(group);
}
