import type { KubeWatchEvent } from '../client/watch/watch.event.js';
import type { KubeObject } from '../objects/kube-object.js';
import type { ResourceSelector } from '../resources/resource-selector.js';
import type { Resource } from '../resources/resources.js';
import type { MetadataObserver, RelatedReader } from './metadata.observer.js';
import { controllerOf, isOfKind } from './owner.references.js';

/** The most parents that are kept whole; of others, only the version is kept. */
const KEPT_PARENTS = 1000;

/** A parent that was read, or is being read, with the version that the watch showed then. */
interface KeptParent {
  readonly version: string | undefined;
  readonly object: Promise<KubeObject | undefined>;
}

/**
 * The look-up of the parents of the objects of a handler with `ownedBy`: the objects that control them. It observes their metadata; a
 * parent is read whole when a handler needs it, and read again after it has changed.
 */
export class ParentLookup implements MetadataObserver {
  readonly selectors: readonly ResourceSelector[];
  private resources: readonly Resource[] = [];
  private read?: RelatedReader;
  private readonly versions = new Map<string, string>();
  private readonly parents = new Map<string, KeptParent>();

  /** @param isFresh whether the parent is read before each call of the handler. */
  constructor(
    selector: ResourceSelector,
    private readonly isFresh: boolean,
  ) {
    this.selectors = [selector];
  }

  /** Checks whether the object is controlled by an object of the parents' kind. */
  check(body: KubeObject): boolean {
    return this.resourceOf(body) !== undefined;
  }

  /** Returns the parent of an object; `undefined` if it does not exist any more. */
  async find(body: KubeObject): Promise<KubeObject | undefined> {
    const resource = this.resourceOf(body);
    const owner = controllerOf(body);
    if (!resource || !owner || !this.read) return undefined;
    const { uid, name } = owner;
    const version = this.versions.get(uid);
    const kept = this.parents.get(uid);
    if (!this.isFresh && kept && version !== undefined && kept.version === version) return kept.object;
    const namespace = resource.namespaced ? body.metadata.namespace : undefined;
    const object = this.read(resource, { name, namespace, uid });
    if (!this.isFresh) this.keep(uid, { version, object });
    return object;
  }

  bind(resources: readonly Resource[], _available: readonly Resource[], read: RelatedReader): void {
    this.resources = resources;
    this.read = read;
  }

  take({ type, object }: KubeWatchEvent): void {
    const { uid = '', resourceVersion = '' } = object.metadata;
    if (type !== 'DELETED') {
      this.versions.set(uid, resourceVersion);
      return;
    }
    this.versions.delete(uid);
    this.parents.delete(uid);
  }

  setComplete(): void {}

  reset(): void {
    this.versions.clear();
    this.parents.clear();
  }

  private keep(uid: string, parent: KeptParent): void {
    const [oldest] = this.parents.keys();
    if (this.parents.size >= KEPT_PARENTS) this.parents.delete(oldest);
    this.parents.set(uid, parent);
    // A parent that could not be read is requested again.
    parent.object.catch(() => this.parents.delete(uid));
  }

  private resourceOf(body: KubeObject): Resource | undefined {
    const owner = controllerOf(body);
    return owner && this.resources.find((resource) => isOfKind(owner, resource));
  }
}
