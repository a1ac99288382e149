import { Injectable } from '@nestjs/common';
import { Subject, type Observable } from 'rxjs';
import { type Resource, resourceKey } from '../resources/resources.js';
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
}

/** Makes the watcher of a target. */
export type ResourceWatcherFactory = (target: WatchTarget, onStatus: (status: WatchStatus) => void) => ResourceWatcher;

/** Keeps one watcher for each resource and namespace that the operator serves: starts, pauses, and stops them. */
@Injectable()
export class WatcherSet {
  private readonly watchers = new Map<string, ResourceWatcher>();
  private readonly leaving = new Set<ResourceWatcher>();
  private isPaused = false;
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

  /** The loads of the queues: of each watcher, and of those that leave and still have work. */
  get loads(): readonly (QueueLoad & { readonly resource: Resource })[] {
    return [...this.watchers.values(), ...this.leaving].map(({ resource, load }) => ({ ...load, resource }));
  }

  /**
   * Starts the watchers that are missing and stops those that are not wanted any more.
   *
   * @param isGone whether a target does not exist any more, so that its objects do not either.
   * @returns when the watchers of what still exists have stopped; those of what has gone are left alone with their work.
   */
  async adjust(
    targets: readonly WatchTarget[],
    factory: ResourceWatcherFactory,
    isGone: (target: WatchTarget) => boolean,
  ): Promise<void> {
    const wanted = new Map(targets.map((target) => [targetKey(target), target]));
    const unwanted = [...this.watchers].filter(([key]) => !wanted.has(key));
    for (const [key, watcher] of unwanted) if (isGone(watcher)) this.abandon(key, watcher);
    // An object must not be handled by two watchers: what is replaced has to stop first.
    await Promise.all(unwanted.map(([key]) => this.stopOne(key)));
    for (const [key, target] of wanted) {
      if (this.watchers.has(key)) continue;
      const watcher = factory(target, (status) => this.subject.next({ ...status, ...target }));
      this.watchers.set(key, watcher);
      if (this.isPaused) await watcher.pause();
      else watcher.start();
    }
  }

  /** Lists the objects of some resources once more, as handlers can be for them now that were not before. */
  async relist(isMeant: (resource: Resource) => boolean): Promise<void> {
    const meant = [...this.watchers.values()].filter(({ resource }) => isMeant(resource));
    await Promise.all(meant.map((watcher) => (this.isPaused ? watcher.pause() : watcher.halt())));
    if (!this.isPaused) for (const watcher of meant) watcher.start();
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
    const leaving = [...this.leaving].map((watcher) => watcher.stop());
    await Promise.all([...[...this.watchers.keys()].map((key) => this.stopOne(key)), ...leaving]);
    this.isPaused = false;
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
function targetKey({ resource, namespace }: WatchTarget): string {
  return JSON.stringify([resourceKey(resource), namespace, resource.namespaced, [...resource.subresources].sort()]);
}
