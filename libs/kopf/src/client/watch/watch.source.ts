import { setMaxListeners } from 'node:events';
import {
  ApiError,
  ApiGoneError,
  ApiUnauthorizedError,
  RequestTimeoutError,
  WatchStreamError,
} from '../api/api.errors.js';
import type { KubeObject, WatchEvent } from '../../objects/kube-object.js';
import { type WatchState, type WatchStatus, WatchReporter } from './watch.reporter.js';
import { Backoff } from '../../common/backoff.js';
import { timeOfDay } from '../../common/time.of-day.js';
import { sleep } from 'kube-common';
import { type Resource, resourceKey } from '../../resources/resources.js';
import { pageLimit } from '../../settings/client.settings.js';
import { readPages, type KubeList } from '../api/kube.list.js';
import { KnownObjects, type KnownObjectsView } from './known.objects.js';
import { EndlessListError, endsStreamedList, isUnsupported, StreamedList } from './streamed.list.js';
import { parseWatchLine, WatchConnection } from './watch.connection.js';
import { createDeletion, type KubeWatchEvent, type ListedMark } from './watch.event.js';
import { classifyFailure } from './watch.failure.js';
import { WatchRequests, type WatchSourceOptions } from './watch.requests.js';

/** The next step of the state machine. */
type Step =
  | { readonly do: 'list'; readonly how: 'best' | 'paged' | 'whole' }
  | { readonly do: 'watch' }
  | { readonly do: 'wait'; readonly state: WatchState; readonly seconds: number; readonly next: Step };

const LIST: Step = { do: 'list', how: 'best' };
const LIST_PAGED: Step = { do: 'list', how: 'paged' };
const WATCH: Step = { do: 'watch' };

/** The seconds between attempts, after the first delay, which is in the settings. */
const BACKOFF = { longest: 30, leastDoubled: 0.1 };

/** The states in which no list is expected soon. */
const UNAVAILABLE_STATES: ReadonlySet<WatchState> = new Set(['forbidden', 'gone', 'stopped']);

/**
 * The milliseconds for which the list of one resource may fail before handlers do not wait for it any longer. Time in which the API server
 * cannot be reached does not count: handlers could do nothing then anyway.
 */
const LIST_PATIENCE = 60_000;

/** The milliseconds after which an open stream counts as working, even without events. */
const QUIET_PROGRESS = 1000;

/**
 * The watch of the objects of one resource, which continues in spite of failures of the connection, the server, or the permissions.
 *
 * First it passes on an event of the type `null` for each existing object, then the mark of the end, and then the changes. After an
 * interruption, the stream is resumed from the last version. If this is not possible, all objects are listed again, and missed deletions
 * are passed on as `DELETED` with `vanished`.
 *
 * @example
 * const source = new WatchSource({ resource, api, settings, clock, random, logger });
 * await source.run((event) => console.log(event), controller.signal);
 */
export class WatchSource {
  /** The reason to abort the signal with, if the watch is to be started again later. */
  static readonly PAUSE = 'pause';

  private readonly known = new KnownObjects();
  private readonly backoff: Backoff;
  private reporter: WatchReporter;
  private requests: WatchRequests;
  private resource: Resource;
  private state: WatchState = 'idle';
  /** The beginning of the state, on the monotonic clock, as is the time of the last event. */
  private since: number;
  private lastEventAt?: number;
  private lastError?: unknown;
  private resourceVersion?: string;
  private openedAt?: number;
  /** Whether the list is complete, so that all further events are changes. */
  private listed = false;
  /** The beginning of the failures to list, on the monotonic clock; absent if the last attempt has not failed. */
  private unlistedSince?: number;
  private streamedList?: StreamedList;
  /** Whether the server is known not to have streamed lists. */
  private streamless = false;
  private onEvent: (event: KubeWatchEvent | ListedMark) => void;

  constructor(private readonly options: WatchSourceOptions) {
    const { settings, random } = options;
    this.backoff = new Backoff(() => ({ ...BACKOFF, first: settings.reconnectBackoff }), random);
    this.resource = options.resource;
    this.reporter = new WatchReporter(options.logger, options.resource, options.namespace, options.api.operator);
    this.requests = new WatchRequests(options);
    this.since = options.clock.monotonic();
  }

  get status(): WatchStatus {
    const { state, lastEventAt, lastError, resourceVersion, known, reporter } = this;
    const { clock } = this.options;
    return {
      state,
      since: timeOfDay(clock, this.since),
      lastEventAt: lastEventAt === undefined ? undefined : timeOfDay(clock, lastEventAt),
      restarts: reporter.restarts,
      lastError,
      resourceVersion,
      objects: known.size,
    };
  }

  /** The objects that exist, as far as this watch has shown. */
  get objects(): KnownObjectsView {
    return this.known;
  }

  /**
   * Lists and watches until the signal is aborted. Never rejects. Can be called again after it has returned: deletions in the meantime are
   * detected.
   *
   * @param onEvent called for each event; its errors are logged.
   * @param signal ends the run; with the reason {@link WatchSource.PAUSE}, the state is `paused` afterwards.
   */
  async run(onEvent: (event: KubeWatchEvent | ListedMark) => void, signal: AbortSignal): Promise<void> {
    // Very many watches may share one signal.
    setMaxListeners(0, signal);
    this.onEvent = onEvent;
    this.backoff.reset();
    let step: Step = LIST;
    while (!signal.aborted) {
      try {
        step = await this.perform(step, signal);
      } catch (error) {
        if (signal.aborted) break;
        step = this.recover(error);
      }
    }
    this.transit(signal.reason === WatchSource.PAUSE ? 'paused' : 'stopped');
  }

  /** Forgets all objects, as their resource is gone. Must not be called while the watch runs. @returns their deletions. */
  forget(): KubeWatchEvent[] {
    this.known.beginList();
    return this.known.completeList().map((vanished) => createDeletion(this.resource, vanished));
  }

  private async perform(step: Step, signal: AbortSignal): Promise<Step> {
    switch (step.do) {
      case 'list':
        this.transit('listing');
        this.resourceVersion = undefined;
        this.openedAt = undefined;
        this.listed = false;
        this.known.beginList();
        return step.how === 'best' && this.streams
          ? this.listStreamed(signal)
          : this.list(step.how !== 'whole', signal);
      case 'watch':
        return this.watch(signal);
      case 'wait':
        this.transit(step.state);
        if (await sleep(this.options.clock, step.seconds, signal)) this.reporter.restarted();
        return step.state === 'gone' && (await this.relocate(signal)) ? LIST : step.next;
    }
  }

  /** Watches the resource as it is served now. The known objects are kept, as they are the same ones. */
  private async relocate(signal: AbortSignal): Promise<boolean> {
    const resource = signal.aborted ? undefined : await this.options.relocate?.(signal);
    if (!resource) return false;
    const { logger, namespace, api } = this.options;
    const { restarts } = this.reporter;
    logger.log(
      `The server does not serve ${resourceKey(this.resource)} any more; ${resourceKey(resource)} is watched.`,
    );
    this.resource = resource;
    this.requests = new WatchRequests({
      ...this.options,
      resource,
      namespace: resource.namespaced ? namespace : undefined,
    });
    this.reporter = new WatchReporter(logger, resource, namespace, api.operator);
    this.reporter.restarts = restarts;
    return true;
  }

  private async list(paged: boolean, signal: AbortSignal): Promise<Step> {
    const { api, settings } = this.options;
    const headers = this.requests.listHeaders;
    const limit = paged ? String(pageLimit(settings)) : undefined;
    const pages = readPages((token) =>
      api.list(this.requests.listUrl(limit, token), { signal, retries: false, headers }),
    );
    let isBegun = false;
    try {
      for await (const page of pages) {
        isBegun = true;
        this.takePage(page);
      }
    } catch (error) {
      // The page token has expired during the list. A list without pages cannot expire.
      if (isBegun && error instanceof ApiGoneError) return { do: 'list', how: 'whole' };
      throw error;
    }
    this.completeList();
    return WATCH;
  }

  private takePage({ items, metadata }: KubeList): void {
    this.lastEventAt = this.options.clock.monotonic();
    for (const object of items ?? []) {
      this.note(object);
      this.emit({ type: null, object });
    }
    this.resourceVersion = metadata.resourceVersion;
  }

  private get streams(): boolean {
    const { streamedLists, initialStreaming } = this.options.settings;
    return streamedLists === 'auto' ? !this.streamless : streamedLists || initialStreaming;
  }

  /** Lists and watches with one request; in pages if that is not possible. */
  private async listStreamed(signal: AbortSignal): Promise<Step> {
    const { api, settings, clock } = this.options;
    const connection = new WatchConnection(api, settings, clock, this.requests.streamHeaders);
    const streamedList = new StreamedList(clock, () => connection.stop(new EndlessListError()));
    this.streamedList = streamedList;
    try {
      return await this.follow(connection, this.requests.streamedListUrl(), signal);
    } catch (error) {
      if (this.listed || !isUnsupported(error) || settings.streamedLists !== 'auto') throw error;
      this.streamless = true;
      this.options.logger.debug(() => `Listing ${this.reporter.subject} in pages: ${(error as Error).message}`);
      return LIST_PAGED;
    } finally {
      streamedList.end();
      this.streamedList = undefined;
    }
  }

  private watch(signal: AbortSignal): Promise<Step> {
    const { api, settings, clock } = this.options;
    this.openedAt = undefined;
    const connection = new WatchConnection(api, settings, clock, this.requests.streamHeaders);
    return this.follow(connection, this.requests.watchUrl(this.resourceVersion), signal);
  }

  private async follow(connection: WatchConnection, url: string, signal: AbortSignal): Promise<Step> {
    await connection.read(url, signal, {
      onOpen: () => this.open(),
      onLine: (line) => this.receive(line),
    });
    this.creditQuietTime();
    return { do: 'wait', state: 'backingOff', seconds: this.backoff.next(), next: this.listed ? WATCH : this.relist() };
  }

  private completeList(): void {
    for (const vanished of this.known.completeList()) this.emit(createDeletion(this.resource, vanished));
    this.listed = true;
    this.unlistedSince = undefined;
    this.streamedList?.end();
    this.emit('LISTED');
  }

  /** Begins a streamed list again after an interruption; a list in pages continues where it was. */
  private relist(): Step {
    return this.openedAt === undefined ? LIST : LIST_PAGED;
  }

  private recover(error: unknown): Step {
    const opened = this.openedAt !== undefined;
    this.creditQuietTime();
    this.noteUnlisted(error);
    const failure = classifyFailure(error, opened, this.backoff.failures);
    const seconds = this.backoff.next(failure.delay);
    if (!failure.expected) this.lastError = error;
    this.reporter.failed(error, failure, opened, seconds);
    const next = this.listed ? (failure.relist ? LIST : WATCH) : this.relist();
    return { do: 'wait', state: failure.state, seconds, next };
  }

  /** Records for how long the list has failed. */
  private noteUnlisted(error: unknown): void {
    if (this.listed) return;
    if (isAnswer(error)) this.unlistedSince ??= this.options.clock.monotonic();
    else this.unlistedSince = undefined;
  }

  private get isOverdue(): boolean {
    const { unlistedSince } = this;
    return unlistedSince !== undefined && this.options.clock.monotonic() - unlistedSince >= LIST_PATIENCE;
  }

  private open(): void {
    this.openedAt = this.options.clock.monotonic();
    this.streamedList?.touch();
    if (this.listed) this.transit('watching');
    if (this.reporter.opened()) this.lastError = undefined;
  }

  private receive(line: string): void {
    const event = parseWatchLine(line, this.requests.path);
    const { metadata } = event.object;
    this.lastEventAt = this.options.clock.monotonic();
    this.resourceVersion = metadata.resourceVersion ?? this.resourceVersion;
    this.streamedList?.touch();
    if (this.listed && (this.backoff.failures || this.lastError)) this.progress();
    switch (event.type) {
      case 'ADDED':
        this.note(event.object);
        return this.emit(this.listed ? (event as WatchEvent) : { type: null, object: event.object });
      case 'MODIFIED':
        this.note(event.object);
        return this.emit(event as WatchEvent);
      case 'DELETED':
        this.known.remove(metadata);
        return this.emit(event as WatchEvent);
      case 'BOOKMARK':
        this.reporter.bookmarked();
        if (this.listed || !endsStreamedList(metadata)) return;
        this.completeList();
        return this.transit('watching');
      default:
        return this.reporter.ignored(event.type);
    }
  }

  /**
   * Records that an object exists. If it has replaced another object of its name, the other one is reported as deleted first, as a watch
   * would have done.
   */
  private note({ metadata }: KubeObject): void {
    const replaced = this.known.add(metadata);
    if (replaced) this.emit(createDeletion(this.resource, replaced));
  }

  private emit(event: KubeWatchEvent | ListedMark): void {
    try {
      this.onEvent(event);
    } catch (error) {
      this.options.logger.error(`An event of ${this.reporter.subject} could not be taken.`, error);
    }
  }

  private creditQuietTime(): void {
    if (this.openedAt === undefined || !this.listed) return;
    if (this.options.clock.monotonic() - this.openedAt >= QUIET_PROGRESS) this.progress();
  }

  private progress(): void {
    this.backoff.reset();
    this.lastError = undefined;
    this.reporter.works();
  }

  private transit(state: WatchState): void {
    if (this.state === state) return;
    this.state = state;
    this.since = this.options.clock.monotonic();
    this.options.onStatus?.(this.status);
    if (state === 'backingOff' && this.isOverdue) this.reporter.overdue(LIST_PATIENCE / 1000);
    if (UNAVAILABLE_STATES.has(state) || this.isOverdue) this.options.onUnlisted?.();
  }
}

/** Whether the API server has answered, so that it could be reached, but has no list of this resource. */
function isAnswer(error: unknown): boolean {
  if (error instanceof ApiUnauthorizedError) return false;
  return error instanceof ApiError || error instanceof WatchStreamError || error instanceof RequestTimeoutError;
}
