import type { KnownObjectsView } from '../client/watch/known.objects.js';
import { WatchSource } from '../client/watch/watch.source.js';
import type { ListedMark, KubeWatchEvent } from '../client/watch/watch.event.js';
import type { WatchSourceOptions } from '../client/watch/watch.requests.js';
import type { ListBarrier } from '../indexing/list.barrier.js';
import { Deferred } from 'kube-common';
import type { WatchEvent } from '../objects/kube-object.js';
import type { Resource } from '../resources/resources.js';
import type { WatchState, WatchStatus } from '../client/watch/watch.reporter.js';
import type { LeftSelectorTracker } from './left-selector.tracker.js';
import { objectKey, type ObjectQueues, type QueueLoad } from './object.queues.js';

/** The consumer of a watch's events while the operator pauses. */
export interface StandbyConsumer {
  /** Called when the consumer takes over the events; the objects are listed once more before them. */
  begin(): void;
  take(event: KubeWatchEvent | ListedMark): void;
  /**
   * Called when the queues take over again; the objects are listed once more before them.
   *
   * @returns the deletions that the queues have missed.
   */
  end(): readonly KubeWatchEvent[];
}

/** The observer of a watch on behalf of the indices. */
export interface IndexWatchObserver {
  expect(key: string): void;
  complete(): void;
  setState(state: WatchState): void;
  leave(): void;
}

/** The watcher of one resource, in one namespace or in all: it puts the events of objects into their queues. */
export class ResourceWatcher {
  private readonly settling = new Deferred();
  private readonly source: WatchSource;
  private controller = new AbortController();
  private running?: Promise<void>;
  /** Whether the sweep was done: the search for objects that had left the selector before the watch began. */
  private isSwept = false;
  private isEnded = false;
  private isOnStandby = false;
  /** Resolved when all objects were listed for the queues, or cannot be listed. */
  private readonly listing = new Deferred();
  private isListed = false;

  constructor(
    private readonly options: Omit<WatchSourceOptions, 'onStatus' | 'onUnlisted'>,
    private readonly queues: ObjectQueues,
    onStatus: (status: WatchStatus) => void,
    /** The barrier that holds handling back until the objects are indexed; absent if they are not indexed. */
    private readonly barrier?: ListBarrier,
    /** The tracker of objects that have left the selector; absent if the watch has no selector. */
    private readonly leftSelector?: LeftSelectorTracker,
    /** The observer on behalf of the indices; absent if the objects are not indexed. */
    private readonly indexObserver?: IndexWatchObserver,
    /** The consumer of the events while the operator pauses; absent if the watch is closed during pauses. */
    private readonly standby?: StandbyConsumer,
  ) {
    this.source = new WatchSource({
      ...options,
      onStatus: (status) => {
        if (status.state === 'paused') this.settling.resolve();
        this.indexObserver?.setState(status.state);
        onStatus(status);
      },
      onUnlisted: () => this.conclude(),
    });
  }

  /** Resolves when all objects were listed once, or cannot be listed for the time being. */
  get settled(): Promise<void> {
    return this.settling.promise;
  }

  /** Resolves when all objects were listed for the queues, or cannot be for the time being; `undefined` if this is the case already. */
  get pendingList(): Promise<void> | undefined {
    return this.isListed ? undefined : this.listing.promise;
  }

  get resource(): Resource {
    return this.options.resource;
  }

  get namespace(): string | undefined {
    return this.options.namespace;
  }

  get status(): WatchStatus {
    return this.source.status;
  }

  /** The objects that exist, as far as the watch has shown. */
  get objects(): KnownObjectsView {
    return this.source.objects;
  }

  /** The keys of the objects that are being processed at this moment, and do not sleep. */
  get working(): Iterable<string> {
    return this.queues.working;
  }

  /** Counts the events of an object that wait to be processed. */
  countWaiting(key: string): number {
    return this.queues.countWaiting(key);
  }

  /** The load of the objects' queues. */
  get load(): QueueLoad {
    return this.queues.load;
  }

  /** Whether all objects were listed, and no event is left to process. */
  get isResting(): boolean {
    return this.status.state === 'watching' && this.queues.active === 0;
  }

  /** The number of objects that may have left the selector, and are not released yet. */
  get unreleased(): number {
    return this.leftSelector?.size ?? 0;
  }

  /** Begins to watch, for the first time or after a pause. */
  start(): void {
    this.controller.abort(WatchSource.PAUSE);
    this.controller = new AbortController();
    this.isSwept = false;
    this.queues.resume();
    this.running = this.run(this.running, this.controller.signal);
  }

  /**
   * Stops processing until the next start. Resolves when no more events come; those in progress are not waited for. The watch continues if
   * there is a consumer for the time of the pause.
   */
  async pause(): Promise<void> {
    await this.halt();
    if (!this.standby || this.isEnded) return;
    this.controller = new AbortController();
    this.isOnStandby = true;
    this.standby.begin();
    this.running = this.source.run((event) => this.takeOnStandby(event), this.controller.signal);
  }

  /** Stops watching and processing until the next start. Resolves when no more events come. */
  async halt(): Promise<void> {
    this.controller.abort(WatchSource.PAUSE);
    this.queues.pause();
    // A watcher that was never started shows the state `paused`, too.
    await (this.running ??= this.run(undefined, this.controller.signal));
  }

  /** Resumes the processing of queued events after a pause, without watching. */
  resumeWork(): void {
    this.queues.resume();
  }

  /** Stops watching. Resolves when the events in progress are processed. */
  async stop(): Promise<void> {
    this.isEnded = true;
    this.controller.abort();
    this.barrier?.leave();
    this.indexObserver?.leave();
    this.leftSelector?.stop();
    await Promise.all([this.running, this.queues.stop()]);
    this.endStandby();
  }

  /**
   * Stops watching permanently after the resource or the namespace is gone: the remaining events of its objects are processed, as
   * deletions.
   *
   * @returns when no event is left; a {@link stop} ends it earlier.
   */
  async abandon(): Promise<void> {
    this.isEnded = true;
    this.controller.abort();
    this.barrier?.leave();
    this.indexObserver?.leave();
    await this.running;
    this.leftSelector?.abandon();
    const deletions = this.source.forget();
    if (this.isOnStandby) {
      for (const deletion of deletions) this.standby?.take(deletion);
      for (const deletion of this.endStandby()) this.queues.put(deletion);
    } else for (const deletion of deletions) this.queues.put(deletion);
    await this.queues.drained();
  }

  /** Adds an event to the queue of its object. */
  put(event: WatchEvent): void {
    if (event.type === null) this.indexObserver?.expect(objectKey(event.object));
    this.queues.put(event);
  }

  private sweep(): void {
    if (this.isSwept) return;
    this.isSwept = true;
    void this.leftSelector?.sweep((metadata) => this.source.objects.has(metadata), this.controller.signal);
  }

  private async run(previous: Promise<void> | undefined, signal: AbortSignal): Promise<void> {
    await previous;
    for (const missed of this.endStandby()) this.take(missed);
    await this.source.run((event) => this.take(event), signal);
  }

  private take(event: KubeWatchEvent | ListedMark): void {
    if (event === 'LISTED') {
      this.indexObserver?.complete();
      this.conclude();
      this.sweep();
      return;
    }
    if (event.type === null) this.barrier?.expect(objectKey(event.object));
    if (this.leftSelector) this.leftSelector.take(event);
    else this.put(event as WatchEvent);
  }

  private takeOnStandby(event: KubeWatchEvent | ListedMark): void {
    if (event === 'LISTED') {
      this.barrier?.complete();
      this.indexObserver?.complete();
    } else if (event.type === null) this.barrier?.expect(objectKey(event.object));
    this.standby?.take(event);
  }

  /** Ends the standby. @returns the deletions that were missed in the meantime. */
  private endStandby(): readonly KubeWatchEvent[] {
    if (!this.isOnStandby) return [];
    this.isOnStandby = false;
    return this.standby?.end() ?? [];
  }

  /** Marks the list as complete, or as not to be expected soon. */
  private conclude(): void {
    this.isListed = true;
    this.listing.resolve();
    this.barrier?.complete();
    this.settling.resolve();
  }
}
