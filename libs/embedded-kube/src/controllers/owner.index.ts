import type { ApiResource } from '../resources/api-resource.js';
import type { KubeObject, OwnerReference } from '../resources/kube-object.js';

/** An object that has owners, or whose dependants must be handled before it is removed. */
export interface OwnerNode {
  readonly resource: ApiResource;
  readonly namespace: string | undefined;
  readonly name: string;
  readonly uid: string;
  readonly owners: readonly OwnerReference[];
}

/** Makes the node of an object. */
export function ownerNode(resource: ApiResource, { metadata }: KubeObject): OwnerNode {
  const { namespace, name = '', uid = '', ownerReferences = [] } = metadata;
  return { resource, namespace, name, uid, owners: ownerReferences };
}

/** Objects with owners, by their own and by their owners' uids. Objects without owners take no place. */
export class OwnerIndex {
  private readonly nodes = new Map<string, OwnerNode>();
  private readonly dependants = new Map<string, Set<string>>();
  private readonly gone = new Set<string>();

  get(uid: string): OwnerNode | undefined {
    return this.nodes.get(uid);
  }

  /** Checks whether the owner is known to be deleted, even if its kind is not served any more. */
  isGone(ownerUid: string): boolean {
    return this.gone.has(ownerUid);
  }

  dependantsOf(ownerUid: string): OwnerNode[] {
    return [...(this.dependants.get(ownerUid) ?? [])].map((uid) => this.nodes.get(uid)!);
  }

  set(node: OwnerNode): void {
    this.remove(node.uid);
    if (!node.owners.length) return;
    this.nodes.set(node.uid, node);
    for (const { uid } of node.owners) {
      const dependants = this.dependants.get(uid);
      if (dependants) dependants.add(node.uid);
      else this.dependants.set(uid, new Set([node.uid]));
    }
  }

  remove(uid: string): void {
    const node = this.nodes.get(uid);
    if (!node) return;
    this.nodes.delete(uid);
    for (const owner of node.owners) {
      const dependants = this.dependants.get(owner.uid);
      dependants?.delete(uid);
      if (dependants?.size === 0) {
        this.dependants.delete(owner.uid);
        this.gone.delete(owner.uid);
      }
    }
  }

  /** Remembers that an owner is deleted, as long as it has dependants. */
  markGone(ownerUid: string): void {
    if (this.dependants.has(ownerUid)) this.gone.add(ownerUid);
  }
}
