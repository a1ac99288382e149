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

/** Takes the events of a watch while the operator pauses. */
export interface StandbyConsumer {
  /** The events go to the consumer from now on; everything is listed first. */
  begin(): void;
  take(event: KubeWatchEvent | ListedMark): void;
  /**
   * The events go to the queues again; everything is listed first.
   *
   * @returns the deletions that the queues have missed.
   */
  end(): readonly KubeWatchEvent[];
}

/** Is told what a watch does for indices. */
export interface IndexWatchObserver {
  expect(key: string): void;
  complete(): void;
  setState(state: WatchState): void;
  leave(): void;
}

/** Watches one resource in one namespace, or in all, and has its objects processed. */
export class ResourceWatcher {
  private readonly settling = new Deferred();
  private readonly source: WatchSource;
  private controller = new AbortController();
  private running?: Promise<void>;
  /** Is true once objects were looked for that had left the selector before the watch began. */
  private isSwept = false;
  private isEnded = false;
  private isOnStandby = false;
  /** Resolved when everything was listed for the queues, or cannot be. */
  private readonly listing = new Deferred();
  private isListed = false;

  constructor(
    private readonly options: Omit<WatchSourceOptions, 'onStatus' | 'onUnlisted'>,
    private readonly queues: ObjectQueues,
    onStatus: (status: WatchStatus) => void,
    /** Holds handling back until the objects are indexed; absent if they are not. */
    private readonly barrier?: ListBarrier,
    /** Finds the objects that have left the selector; absent if everything is watched. */
    private readonly leftSelector?: LeftSelectorTracker,
    /** Is told what is known of the objects; absent if nothing is indexed. */
    private readonly indexObserver?: IndexWatchObserver,
    /** Takes the events while the operator pauses; absent if nothing is watched then. */
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

  /** Resolves when everything was listed once, or when this cannot be expected. */
  get settled(): Promise<void> {
    return this.settling.promise;
  }

  /** Resolves when all objects were listed for the queues, or cannot be for the time being; `undefined` if that is so already. */
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

  /** The objects that exist, as far as it has seen. */
  get objects(): KnownObjectsView {
    return this.source.objects;
  }

  /** The keys of the objects that are worked on at this moment, and do not sleep. */
  get working(): Iterable<string> {
    return this.queues.working;
  }

  /** Tells what the queues of the objects have to do. */
  get load(): QueueLoad {
    return this.queues.load;
  }

  /** Whether everything was listed, and nothing is left to do. */
  get isResting(): boolean {
    return this.status.state === 'watching' && this.queues.active === 0;
  }

  /** Counts the objects that may have left the selector, and are not released yet. */
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
   * Stops the processing until the next start; resolves when nothing more comes. The events in progress are not waited for. The watch goes on
   * if there is a consumer for the time of the pause.
   */
  async pause(): Promise<void> {
    await this.halt();
    if (!this.standby || this.isEnded) return;
    this.controller = new AbortController();
    this.isOnStandby = true;
    this.standby.begin();
    this.running = this.source.run((event) => this.takeOnStandby(event), this.controller.signal);
  }

  /** Stops watching and processing until the next start; resolves when nothing more comes. */
  async halt(): Promise<void> {
    this.controller.abort(WatchSource.PAUSE);
    this.queues.pause();
    // One that was never started shows that it is paused, too.
    await (this.running ??= this.run(undefined, this.controller.signal));
  }

  /** Goes on with what is left to be processed after a pause, without watching. */
  resumeWork(): void {
    this.queues.resume();
  }

  /** Stops watching; resolves when the events in progress are processed. */
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
   * Stops watching for good, as what was watched has gone: what is left of its objects is processed as deleted.
   *
   * @returns when nothing is left; a {@link stop} ends it earlier.
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

  /** Puts an event into the queue of its object. */
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

  /** @returns what was missed meanwhile. */
  private endStandby(): readonly KubeWatchEvent[] {
    if (!this.isOnStandby) return [];
    this.isOnStandby = false;
    return this.standby?.end() ?? [];
  }

  /** The list is complete, or is not to be expected soon. */
  private conclude(): void {
    this.isListed = true;
    this.listing.resolve();
    this.barrier?.complete();
    this.settling.resolve();
  }
}
