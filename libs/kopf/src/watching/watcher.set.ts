import { Injectable } from '@nestjs/common';
import { BehaviorSubject, Subject, type Observable } from 'rxjs';
import type { UnservedResource } from '../resources/resource-selector.js';
import { qualifiedName, type Resource, resourceKey } from '../resources/resources.js';
import type { WatchStatus } from '../client/watch/watch.reporter.js';
import type { QueueLoad } from './object.queues.js';
import type { ResourceWatcher } from './resource.watcher.js';

/** The state of the watch of one resource in one namespace, or in all of them. */
export interface WatcherStatus extends WatchStatus {
  readonly resource: Resource;
  /** `undefined` for all namespaces. */
  readonly namespace: string | undefined;
}

/** Identifies what is watched. */
export interface WatchTarget {
  readonly resource: Resource;
  readonly namespace: string | undefined;
  /** Tells targets apart that are watched in other ways, as other handlers are for them. @default one way */
  readonly variant?: string;
}

/** Makes the watcher of a target. */
export type ResourceWatcherFactory = (target: WatchTarget, onStatus: (status: WatchStatus) => void) => ResourceWatcher;

/** Keeps one watcher for each resource and namespace that the operator serves: starts, pauses, and stops them. */
@Injectable()
export class WatcherSet {
  private readonly watchers = new Map<string, ResourceWatcher>();
  private readonly leaving = new Set<ResourceWatcher>();
  /** The stops in progress of watchers of resources that still exist, by the kinds of the resources. */
  private readonly stops = new Map<string, Promise<unknown>>();
  /** The targets whose watchers wait for such a stop: an object must not be handled by two watchers. */
  private readonly waiting = new Map<string, WatchTarget>();
  private isPaused = false;
  private readonly missing = new BehaviorSubject<readonly UnservedResource[]>([]);
  private readonly subject = new Subject<WatcherStatus>();

  /** The watchers' changes of state as they happen. */
  readonly changes$: Observable<WatcherStatus> = this.subject.asObservable();

  /** The states of all watchers now. */
  get states(): readonly WatcherStatus[] {
    return [...this.watchers.values()].map(({ resource, namespace, status }) => ({ ...status, resource, namespace }));
  }

  /** The watchers of all resources and namespaces, for those who show what they know. */
  get all(): Iterable<Pick<ResourceWatcher, 'resource' | 'namespace' | 'objects' | 'working' | 'unreleased'>> {
    return this.watchers.values();
  }

  /** The resources of handlers for which there is no watch, or no webhook, as the cluster does not serve them. */
  get unserved(): readonly UnservedResource[] {
    return this.missing.value;
  }

  /** The same now, and its changes as they happen. */
  get unserved$(): Observable<readonly UnservedResource[]> {
    return this.missing;
  }

  /** Records what the cluster does not serve, now that it was looked up. */
  noteUnserved(unserved: readonly UnservedResource[]): void {
    if (unserved.length > 0 || this.unserved.length > 0) this.missing.next(unserved);
  }

  /** The loads of the queues: of each watcher, and of those that leave and still have work. */
  get loads(): readonly (QueueLoad & { readonly resource: Resource })[] {
    return [...this.watchers.values(), ...this.leaving].map(({ resource, load }) => ({ ...load, resource }));
  }

  /**
   * Starts the watchers that are missing and stops those that are not wanted any more. The watcher of a target that replaces another one of
   * the same resource is started when that has stopped; the watchers of other resources do not wait for it.
   *
   * @param isGone whether a target does not exist any more, so that its objects do not either: the watchers of such targets are left alone
   *   with their work.
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

  /** Lists the objects of some resources once more, as handlers can be for them now that were not before. */
  async relist(isMeant: (resource: Resource) => boolean): Promise<void> {
    const meant = [...this.watchers.values()].filter(({ resource }) => isMeant(resource));
    await Promise.all(meant.map((watcher) => (this.isPaused ? watcher.pause() : watcher.halt())));
    if (!this.isPaused) for (const watcher of meant) watcher.start();
  }

  /** Whether all objects of some resources were listed, and nothing is left to do for them. */
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
   * @returns `undefined` if they were listed, or if nobody watches them.
   */
  listing({ group, plural }: Resource, namespace: string | undefined): Promise<void> | undefined {
    const watcher = [...this.watchers.values()].find(
      ({ resource, namespace: watched }) =>
        resource.group === group && resource.plural === plural && (watched ?? namespace) === namespace,
    );
    return watcher?.pendingList;
  }

  /** Stops watching until {@link resume}; resolves when nothing more comes. The events in progress are not waited for. */
  async pause(): Promise<void> {
    this.isPaused = true;
    await Promise.all([...this.watchers.values(), ...this.leaving].map((watcher) => watcher.pause()));
  }

  /** Goes on after a pause: everything is listed again. */
  resume(): void {
    this.isPaused = false;
    for (const watcher of this.watchers.values()) watcher.start();
    for (const watcher of this.leaving) watcher.resumeWork();
  }

  /** Stops all watchers; resolves when the events in progress are processed. */
  async stop(): Promise<void> {
    this.waiting.clear();
    const leaving = [...this.leaving].map((watcher) => watcher.stop());
    await Promise.all([
      ...[...this.watchers.keys()].map((key) => this.stopOne(key)),
      ...this.stops.values(),
      ...leaving,
    ]);
    this.isPaused = false;
    this.noteUnserved([]);
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

  /** Stops a watcher whose place another one will take. */
  private replace(key: string, watcher: ResourceWatcher): void {
    const kind = qualifiedName(watcher.resource);
    const stop = Promise.all([this.stops.get(kind), this.stopOne(key)]).then(() => {
      if (this.stops.get(kind) === stop) this.stops.delete(kind);
    });
    this.stops.set(kind, stop);
  }

  /** Its last work can take long, and nobody has to wait for it: what comes in its place has other objects. */
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

/** A resource that has got other properties is another target: what was known of its objects may not hold any more. */
function targetKey({ resource, namespace, variant }: WatchTarget): string {
  const { namespaced, subresources } = resource;
  return JSON.stringify([resourceKey(resource), namespace, namespaced, [...subresources].sort(), variant]);
}
