// relations: which objects belong together: children to their parents by owner references, and objects to those that they refer to by name.
// A relation observes the metadata of the related objects, and notifies its observers when something changes. background/ decides what is
// called then.
// May import: common, objects, resources, settings, client, contexts, decorators.

import type { KubeWatchEvent } from '../client/watch/watch.event.js';
import type { RelatedObject, RelatedView } from '../contexts/related.interface.js';
import type { KubeObject } from '../objects/kube-object.js';
import type { ResourceSelector } from '../resources/resource-selector.js';
import type { MetadataObserver } from './metadata.observer.js';
import { type Resource, resourceApiVersion } from '../resources/resources.js';

/** An observer of the related objects of one subject. */
export interface RelationObserver {
  /** The handled object, in its newest known state. */
  readonly subject: KubeObject;
  onRelated(): void;
}

interface KnownRelated {
  readonly object: RelatedObject;
  readonly keys: readonly string[];
}

/**
 * The relation of the objects of one handler, the subjects, with other objects: both have keys, and those with a key in common belong
 * together. A relation keeps metadata only, and no related objects without keys.
 */
export abstract class Relation implements MetadataObserver {
  private readonly objects = new Map<string, KnownRelated>();
  private readonly uidsByKey = new Map<string, Set<string>>();
  private readonly observersByKey = new Map<string, Set<RelationObserver>>();
  private readonly keysByObserver = new Map<RelationObserver, readonly string[]>();
  private complete = false;
  private bound: readonly Resource[] = [];

  /** @param selectors the selectors of the related objects' resources. */
  constructor(readonly selectors: readonly ResourceSelector[]) {}

  /** The resources of the related objects that the cluster has. */
  get resources(): readonly Resource[] {
    return this.bound;
  }

  /** Whether all related objects were listed once, so that an object that is missing here does not exist. */
  get isComplete(): boolean {
    return this.complete;
  }

  /** Returns the keys of a related object that follow from its metadata. */
  protected abstract keysOfRelated(object: KubeObject, resource: Resource): readonly string[];

  /**
   * Finds the keys of a related object that need requests; `undefined` if it needs none. If the requests fail, the object has its other
   * keys only.
   */
  protected findFurtherKeys(_object: KubeObject): Promise<readonly string[]> | undefined {
    return undefined;
  }

  /** Returns the keys of a subject. */
  protected abstract keysOfSubject(body: KubeObject): readonly string[];

  /** Returns the objects that belong to a subject now. */
  viewOf(body: KubeObject): RelatedView {
    const uids = new Set(this.keysOfSubject(body).flatMap((key) => [...(this.uidsByKey.get(key) ?? [])]));
    return { related: [...uids].map((uid) => this.objects.get(uid)!.object), missing: [] };
  }

  /** Checks whether any related object has the key. */
  protected has(key: string): boolean {
    return this.uidsByKey.has(key);
  }

  /** Returns the subjects that an object belongs to, by its uid. */
  subjectsOf(uid: string): readonly KubeObject[] {
    const keys = this.objects.get(uid)?.keys ?? [];
    const observers = new Set(keys.flatMap((key) => [...(this.observersByKey.get(key) ?? [])]));
    return [...observers].map(({ subject }) => subject);
  }

  /**
   * Registers an observer of what belongs to a subject; called again for each newer state of the subject. @returns whether the keys of the
   * subject have changed.
   */
  observe(observer: RelationObserver, body: KubeObject): boolean {
    const keys = this.keysOfSubject(body);
    const before = this.keysByObserver.get(observer);
    if (before && isSame(before, keys)) return false;
    this.unobserve(observer);
    this.keysByObserver.set(observer, keys);
    for (const key of keys) addTo(this.observersByKey, key, observer);
    return true;
  }

  unobserve(observer: RelationObserver): void {
    for (const key of this.keysByObserver.get(observer) ?? []) removeFrom(this.observersByKey, key, observer);
    this.keysByObserver.delete(observer);
  }

  /** Receives an event of a related object. */
  take({ type, object }: KubeWatchEvent, resource: Resource): void | Promise<void> {
    const { uid = '', resourceVersion = '' } = object.metadata;
    if (type === 'DELETED') return this.replace(uid, undefined);
    // After interruptions of the watch, all objects are listed again.
    if (this.objects.get(uid)?.object.resourceVersion === resourceVersion) return undefined;
    const keys = this.keysOfRelated(object, resource);
    const related = toRelatedObject(object, resource);
    const further = this.findFurtherKeys(object);
    if (!further) return this.replace(uid, { object: related, keys });
    // Keys that follow from the metadata need not wait for requests, which can fail; the keys that the object had before are kept until
    // then.
    const before = this.objects.get(uid)?.keys ?? [];
    this.replace(uid, { object: related, keys: [...new Set([...keys, ...before])] });
    return further.then(
      (found) => this.replace(uid, { object: related, keys: [...keys, ...found] }),
      (error: unknown) => {
        this.replace(uid, { object: related, keys });
        throw error;
      },
    );
  }

  setComplete(isComplete: boolean): void {
    if (this.complete === isComplete) return;
    this.complete = isComplete;
    if (isComplete) for (const observer of this.keysByObserver.keys()) observer.onRelated();
  }

  bind(resources: readonly Resource[], ..._rest: unknown[]): void {
    this.bound = resources;
    const left = new Set(resources.map((resource) => `${resourceApiVersion(resource)}/${resource.kind}`));
    for (const [uid, { object }] of this.objects)
      if (!left.has(`${object.apiVersion}/${object.kind}`)) this.replace(uid, undefined);
  }

  /** Forgets everything except the observers, for another session. */
  reset(): void {
    this.objects.clear();
    this.uidsByKey.clear();
    this.complete = false;
  }

  private replace(uid: string, related: KnownRelated | undefined): void {
    const before = this.objects.get(uid)?.keys ?? [];
    const after = related?.keys ?? [];
    for (const key of before) removeFrom(this.uidsByKey, key, uid);
    if (related && after.length > 0) {
      this.objects.set(uid, related);
      for (const key of after) addTo(this.uidsByKey, key, uid);
    } else {
      this.objects.delete(uid);
    }
    const affected = new Set([...before, ...after].flatMap((key) => [...(this.observersByKey.get(key) ?? [])]));
    for (const observer of affected) observer.onRelated();
  }
}

function toRelatedObject({ metadata }: KubeObject, resource: Resource): RelatedObject {
  const { name = '', namespace, uid = '', resourceVersion = '', labels, deletionTimestamp } = metadata;
  return {
    apiVersion: resourceApiVersion(resource),
    kind: resource.kind,
    name,
    namespace,
    uid,
    resourceVersion,
    labels: labels ?? {},
    isDeleting: deletionTimestamp !== undefined,
  };
}

function addTo<T>(sets: Map<string, Set<T>>, key: string, value: T): void {
  const set = sets.get(key);
  if (set) set.add(value);
  else sets.set(key, new Set([value]));
}

function removeFrom<T>(sets: Map<string, Set<T>>, key: string, value: T): void {
  const set = sets.get(key);
  set?.delete(value);
  if (set?.size === 0) sets.delete(key);
}

function isSame(one: readonly string[], other: readonly string[]): boolean {
  return one.length === other.length && one.every((key, index) => key === other[index]);
}
