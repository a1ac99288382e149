import type { KnownObjectsView } from '../client/watch/known.objects.js';
import { WatchSource } from '../client/watch/watch.source.js';
import type { ListedMark, KubeWatchEvent } from '../client/watch/watch.event.js';
import type { WatchSourceOptions } from '../client/watch/watch.requests.js';
import type { ListBarrier } from '../indexing/list.barrier.js';
import { Deferred } from '../common/waiting.js';
import type { Resource } from '../resources/resources.js';
import type { WatchState, WatchStatus } from '../client/watch/watch.reporter.js';
import type { LeftSelectorTracker } from './left-selector.tracker.js';
import { objectKey, type ObjectQueues, type QueueLoad } from './object.queues.js';

/** States in which no list is to be expected soon. */
export const UNAVAILABLE_STATES: ReadonlySet<WatchState> = new Set(['forbidden', 'gone', 'stopped']);

/** Watches one resource in one namespace, or in all, and has its objects processed. */
export class ResourceWatcher {
  private readonly settling = new Deferred();
  private readonly source: WatchSource;
  private controller = new AbortController();
  private running?: Promise<void>;
  /** Is true once objects were looked for that had left the selector before the watch began. */
  private isSwept = false;

  constructor(
    private readonly options: Omit<WatchSourceOptions, 'onStatus'>,
    private readonly queues: ObjectQueues,
    onStatus: (status: WatchStatus) => void,
    /** Has what holds handling back until the objects are indexed; none if they are not. */
    private readonly indexing: { readonly barrier?: ListBarrier },
    /** Called before everything is listed, as there can be an index of the objects that was not there before. */
    private readonly onStart: () => void,
    /** Finds the objects that have left the selector; absent if everything is watched. */
    private readonly leftSelector?: LeftSelectorTracker,
  ) {
    this.source = new WatchSource({
      ...options,
      onStatus: (status) => {
        if (UNAVAILABLE_STATES.has(status.state)) this.conclude();
        if (status.state === 'paused') this.settling.resolve();
        onStatus(status);
      },
    });
  }

  /** Resolves when everything was listed once, or when this cannot be expected. */
  get settled(): Promise<void> {
    return this.settling.promise;
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

  /** Counts the objects that may have left the selector, and are not released yet. */
  get unreleased(): number {
    return this.leftSelector?.size ?? 0;
  }

  /** Begins to watch, for the first time or after a pause. */
  start(): void {
    this.controller = new AbortController();
    this.isSwept = false;
    this.onStart();
    this.queues.resume();
    this.running = this.run(this.running, this.controller.signal);
  }

  /** Stops watching until the next start; resolves when nothing more comes. The events in progress are not waited for. */
  async pause(): Promise<void> {
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
    this.controller.abort();
    this.indexing.barrier?.leave();
    this.leftSelector?.stop();
    await Promise.all([this.running, this.queues.stop()]);
  }

  /**
   * Stops watching for good, as what was watched has gone: what is left of its objects is processed as deleted.
   *
   * @returns when nothing is left; a {@link stop} ends it earlier.
   */
  async abandon(): Promise<void> {
    this.controller.abort();
    this.indexing.barrier?.leave();
    await this.running;
    this.leftSelector?.abandon();
    for (const deletion of this.source.forget()) this.queues.put(deletion);
    await this.queues.drained();
  }

  private sweep(): void {
    if (this.isSwept) return;
    this.isSwept = true;
    void this.leftSelector?.sweep((metadata) => this.source.objects.has(metadata), this.controller.signal);
  }

  private async run(previous: Promise<void> | undefined, signal: AbortSignal): Promise<void> {
    await previous;
    await this.source.run((event) => this.take(event), signal);
  }

  private take(event: KubeWatchEvent | ListedMark): void {
    if (event === 'LISTED') {
      this.conclude();
      this.sweep();
      return;
    }
    if (event.type === null) this.indexing.barrier?.expect(objectKey(event.object));
    if (this.leftSelector) this.leftSelector.take(event);
    else this.queues.put(event);
  }

  /** The list is complete, or is not to be expected soon. */
  private conclude(): void {
    this.indexing.barrier?.complete();
    this.settling.resolve();
  }
}
