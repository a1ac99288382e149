import type { KubeObject, OwnerReference } from '../objects/kube-object.js';
import type { ResourceSelector } from '../resources/resource-selector.js';
import type { Resource } from '../resources/resources.js';
import type { RelatedReader } from './metadata.observer.js';
import { isOfKind } from './owner.references.js';
import { groupOf } from '../resources/resources.js';
import { Relation } from './relation.js';

/** The most objects whose owners are remembered, which change by adoption only. */
const REMEMBERED_OWNERS = 10_000;

/** The options that decide which objects are children. */
export interface ChildRelationOptions {
  /** Whether only the owner reference of the controller counts. */
  readonly controller: boolean;
  /** The number of generations: with 2, the children of children are children, too. */
  readonly depth: number;
}

/** Parents and their children, by the owner references of the children. The versions of the kinds do not matter. */
export class ChildRelation extends Relation {
  /** The resources of the cluster; owners of other resources are not read. */
  private available: readonly Resource[] = [];
  private read?: RelatedReader;
  private readonly owners = new Map<string, Promise<readonly OwnerReference[]>>();

  constructor(
    selector: ResourceSelector,
    private readonly options: ChildRelationOptions,
  ) {
    super([selector]);
  }

  override bind(resources: readonly Resource[], available: readonly Resource[], read: RelatedReader): void {
    super.bind(resources);
    this.available = available;
    this.read = read;
  }

  override reset(): void {
    super.reset();
    this.owners.clear();
  }

  protected keysOfSubject({ apiVersion = '', kind = '', metadata }: KubeObject): readonly string[] {
    return [keyOf({ apiVersion, kind, uid: metadata.uid ?? '' })];
  }

  protected keysOfRelated({ metadata }: KubeObject): readonly string[] {
    return this.relevant(metadata.ownerReferences).map(keyOf);
  }

  protected override findFurtherKeys({ metadata }: KubeObject): Promise<readonly string[]> | undefined {
    const owners = this.relevant(metadata.ownerReferences);
    if (this.options.depth === 1 || owners.length === 0) return undefined;
    return this.climb(owners, metadata.namespace, this.options.depth - 1);
  }

  private async climb(
    owners: readonly OwnerReference[],
    namespace: string | undefined,
    depth: number,
  ): Promise<readonly string[]> {
    if (depth === 0) return [];
    const levels = await Promise.all(
      owners.map(async (owner) => {
        const above = this.relevant(await this.ownersOf(owner, namespace));
        return [...above.map(keyOf), ...(await this.climb(above, namespace, depth - 1))];
      }),
    );
    return levels.flat();
  }

  private ownersOf(owner: OwnerReference, namespace: string | undefined): Promise<readonly OwnerReference[]> {
    const known = this.owners.get(owner.uid);
    if (known) return known;
    const [oldest] = this.owners.keys();
    if (this.owners.size >= REMEMBERED_OWNERS) this.owners.delete(oldest);
    const found = this.readOwnersOf(owner, namespace);
    this.owners.set(owner.uid, found);
    // An owner that could not be read is requested again with the next event.
    found.catch(() => this.owners.delete(owner.uid));
    return found;
  }

  private async readOwnersOf(owner: OwnerReference, namespace: string | undefined): Promise<readonly OwnerReference[]> {
    const resource = this.available.find((candidate) => candidate.preferred && isOfKind(owner, candidate));
    if (!resource || !this.read) return [];
    const identity = { name: owner.name, namespace: resource.namespaced ? namespace : undefined, uid: owner.uid };
    return (await this.read(resource, identity))?.metadata.ownerReferences ?? [];
  }

  private relevant(owners: readonly OwnerReference[] | undefined): readonly OwnerReference[] {
    return (owners ?? []).filter(({ controller }) => !this.options.controller || controller === true);
  }
}

function keyOf({ apiVersion, kind, uid }: Pick<OwnerReference, 'apiVersion' | 'kind' | 'uid'>): string {
  return `${groupOf(apiVersion)}/${kind}/${uid}`;
}
