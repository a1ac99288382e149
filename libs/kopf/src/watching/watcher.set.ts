import { Injectable } from '@nestjs/common';
import { BehaviorSubject, Subject, type Observable } from 'rxjs';
import type { UnservedResource } from '../resources/resource-selector.js';
import { qualifiedName, type Resource, resourceKey } from '../resources/resources.js';
import type { WatchStatus } from '../client/watch/watch.reporter.js';
import type { QueueLoad } from './object.queues.js';
import type { ResourceWatcher } from './resource.watcher.js';

/** The state of the watch of one resource, in one namespace or in all. */
export interface WatcherStatus extends WatchStatus {
  readonly resource: Resource;
  /** `undefined` for all namespaces. */
  readonly namespace: string | undefined;
}

/** The resource and the namespace that a watch is for. */
export interface WatchTarget {
  readonly resource: Resource;
  readonly namespace: string | undefined;
  /** Distinguishes targets of the same resource that are watched differently, as they have other handlers. @default one target */
  readonly variant?: string;
}

/** A factory of the watcher of a target. */
export type ResourceWatcherFactory = (target: WatchTarget, onStatus: (status: WatchStatus) => void) => ResourceWatcher;

/** The set of watchers, one for each resource and namespace that the operator serves: it starts, pauses, and stops them. */
@Injectable()
export class WatcherSet {
  private readonly watchers = new Map<string, ResourceWatcher>();
  private readonly leaving = new Set<ResourceWatcher>();
  /** The watchers that are being stopped although their resource still exists, by the keys of the resources. */
  private readonly stops = new Map<string, Promise<unknown>>();
  /** The targets whose watchers wait for such a stop: an object must not be handled by two watchers. */
  private readonly waiting = new Map<string, WatchTarget>();
  private isPaused = false;
  private readonly missing = new BehaviorSubject<readonly UnservedResource[]>([]);
  private readonly subject = new Subject<WatcherStatus>();

  /** The changes of the watchers' states. */
  readonly changes$: Observable<WatcherStatus> = this.subject.asObservable();

  /** The states of all watchers now. */
  get states(): readonly WatcherStatus[] {
    return [...this.watchers.values()].map(({ resource, namespace, status }) => ({ ...status, resource, namespace }));
  }

  /** The watchers of all resources and namespaces, for inspection. */
  get all(): Iterable<
    Pick<ResourceWatcher, 'resource' | 'namespace' | 'objects' | 'working' | 'unreleased' | 'countWaiting'>
  > {
    return this.watchers.values();
  }

  /** The resources of handlers without a watch or a webhook, as the cluster does not serve them. */
  get unserved(): readonly UnservedResource[] {
    return this.missing.value;
  }

  /** The unserved resources now, and their changes. */
  get unserved$(): Observable<readonly UnservedResource[]> {
    return this.missing;
  }

  /** Sets the resources that the last look-up has not found. */
  setUnserved(unserved: readonly UnservedResource[]): void {
    if (unserved.length > 0 || this.unserved.length > 0) this.missing.next(unserved);
  }

  /** The loads of the queues: of each watcher, and of the stopped ones that still have events. */
  get loads(): readonly (QueueLoad & { readonly resource: Resource })[] {
    return [...this.watchers.values(), ...this.leaving].map(({ resource, load }) => ({ ...load, resource }));
  }

  /**
   * Starts missing watchers and stops unwanted ones. If the watcher of a target replaces another one of the same resource, it is started
   * after that has stopped; watchers of other resources do not wait for it.
   *
   * @param isGone whether a target does not exist any more, and neither do its objects: the watcher of such a target finishes its work in
   *   the background.
   */
  async adjust(
    targets: readonly WatchTarget[],
    factory: ResourceWatcherFactory,
    isGone: (target: WatchTarget) => boolean,
  ): Promise<void> {
    const wanted = new Map(targets.map((target) => [targetKey(target), target]));
    for (const key of this.waiting.keys()) if (!wanted.has(key)) this.waiting.delete(key);
    for (const [key, watcher] of this.watchers) {
      if (wanted.has(key)) continue;
      if (isGone(watcher)) this.abandon(key, watcher);
      else this.replace(key, watcher);
    }
    for (const [key, target] of wanted)
      if (!this.watchers.has(key) && !this.waiting.has(key)) await this.begin(key, target, factory);
  }

  /** Lists the objects of some resources once more, as added handlers may match them. */
  async relist(isMeant: (resource: Resource) => boolean): Promise<void> {
    const meant = [...this.watchers.values()].filter(({ resource }) => isMeant(resource));
    await Promise.all(meant.map((watcher) => (this.isPaused ? watcher.pause() : watcher.halt())));
    if (!this.isPaused) for (const watcher of meant) watcher.start();
  }

  /** Whether all objects of some resources were listed, and no event is left to process. */
  isResting(isMeant: (resource: Resource) => boolean): boolean {
    return [...this.watchers.values()].every((watcher) => !isMeant(watcher.resource) || watcher.isResting);
  }

  /** Resolves when each of the present watchers has listed its objects once, or cannot for the time being. */
  async settled(): Promise<void> {
    await Promise.all([...this.watchers.values()].map((watcher) => watcher.settled));
  }

  /**
   * Waits for the first list of the objects of a resource in a namespace.
   *
   * @returns `undefined` if they were listed, or if they are not watched.
   */
  listing({ group, plural }: Resource, namespace: string | undefined): Promise<void> | undefined {
    const watcher = [...this.watchers.values()].find(
      ({ resource, namespace: watched }) =>
        resource.group === group && resource.plural === plural && (watched ?? namespace) === namespace,
    );
    return watcher?.pendingList;
  }

  /** Stops watching until {@link resume}. Resolves when no more events come; those in progress are not waited for. */
  async pause(): Promise<void> {
    this.isPaused = true;
    await Promise.all([...this.watchers.values(), ...this.leaving].map((watcher) => watcher.pause()));
  }

  /** Resumes watching after a pause: all objects are listed again. */
  resume(): void {
    this.isPaused = false;
    for (const watcher of this.watchers.values()) watcher.start();
    for (const watcher of this.leaving) watcher.resumeWork();
  }

  /** Stops all watchers. Resolves when the events in progress are processed. */
  async stop(): Promise<void> {
    this.waiting.clear();
    const leaving = [...this.leaving].map((watcher) => watcher.stop());
    await Promise.all([
      ...[...this.watchers.keys()].map((key) => this.stopOne(key)),
      ...this.stops.values(),
      ...leaving,
    ]);
    this.isPaused = false;
    this.setUnserved([]);
  }

  private async begin(key: string, target: WatchTarget, factory: ResourceWatcherFactory): Promise<void> {
    const stop = this.stops.get(qualifiedName(target.resource));
    if (stop) {
      this.waiting.set(key, target);
      void stop.then(() => {
        if (this.waiting.get(key) !== target) return undefined;
        this.waiting.delete(key);
        return this.begin(key, target, factory);
      });
      return;
    }
    const watcher = factory(target, (status) => this.subject.next({ ...status, ...target }));
    this.watchers.set(key, watcher);
    if (this.isPaused) await watcher.pause();
    else watcher.start();
  }

  /** Stops a watcher that another one of the same resource will replace. */
  private replace(key: string, watcher: ResourceWatcher): void {
    const kind = qualifiedName(watcher.resource);
    const stop = Promise.all([this.stops.get(kind), this.stopOne(key)]).then(() => {
      if (this.stops.get(kind) === stop) this.stops.delete(kind);
    });
    this.stops.set(kind, stop);
  }

  /**
   * Lets a watcher finish in the background. Its last events may take long, and a watcher that replaces it need not wait, as it has other
   * objects.
   */
  private abandon(key: string, watcher: ResourceWatcher): void {
    this.watchers.delete(key);
    this.leaving.add(watcher);
    void watcher.abandon().finally(() => this.leaving.delete(watcher));
  }

  private async stopOne(key: string): Promise<void> {
    const watcher = this.watchers.get(key);
    this.watchers.delete(key);
    await watcher?.stop();
  }
}

/**
 * Identifies a target. A resource whose properties have changed is another target, as what is known of its objects may not be true any
 * more.
 */
function targetKey({ resource, namespace, variant }: WatchTarget): string {
  const { namespaced, subresources } = resource;
  return JSON.stringify([resourceKey(resource), namespace, namespaced, [...subresources].sort(), variant]);
}
