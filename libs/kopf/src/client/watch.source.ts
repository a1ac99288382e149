import { setMaxListeners } from 'node:events';
import { ApiGoneError } from '../errors/api.errors.js';
import type { Clock } from '../interfaces/clock.interface.js';
import type { KubeObject, ObjectMeta, WatchEvent } from '../interfaces/kube-object.interface.js';
import type { KopfLogger } from '../interfaces/logger.interface.js';
import type { Random } from '../interfaces/random.interface.js';
import type { Resource } from '../interfaces/resource.interface.js';
import type { WatchState, WatchStatus } from '../interfaces/watch-status.interface.js';
import type { WatchingSettings } from '../settings/watching.settings.js';
import { resourceApiVersion, resourceUrl } from '../structs/resources.js';
import { sleep } from '../utils/sleep.js';
import type { KubeApi } from './api.client.js';
import { KnownObjects, type KnownObject } from './known.objects.js';
import { WatchBackoff } from './watch.backoff.js';
import { WatchConnection } from './watch.connection.js';
import { classifyFailure } from './watch.failure.js';
import { parseWatchLine } from './watch.line.js';
import { WatchReporter } from './watch.reporter.js';

/** What is watched, and by what means. */
export interface WatchSourceOptions {
  readonly resource: Resource;
  /** The namespace; all of them if absent. */
  readonly namespace?: string;
  /** Only objects with such labels, in the API's syntax: `app=web,tier!=cache`. */
  readonly labelSelector?: string;
  /** Only objects with such fields, in the API's syntax: `metadata.name=web`. */
  readonly fieldSelector?: string;
  readonly api: KubeApi;
  readonly settings: WatchingSettings;
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: KopfLogger;
  /** Told each time when the state changes. */
  readonly onStatus?: (status: WatchStatus) => void;
}

/** An event of an object, as plain as it came; or one that nobody saw, found by comparison with the objects known before. */
export interface WatchSourceEvent extends WatchEvent {
  /** The object has vanished while nobody watched; it has an identity, and nothing else. */
  readonly vanished?: true;
}

/** The mark of the end of a listing: all objects were there, and those that have vanished were reported. */
export type ListedMark = 'LISTED';

/** What the machine does next. */
type Step =
  | { readonly do: 'list'; readonly paged: boolean }
  | { readonly do: 'watch' }
  | { readonly do: 'wait'; readonly state: WatchState; readonly seconds: number; readonly next: Step };

const LIST: Step = { do: 'list', paged: true };
const WATCH: Step = { do: 'watch' };

/** A stream that was open for so long has worked, even if there was nothing to tell, in milliseconds. */
const QUIET_PROGRESS = 1000;

/**
 * Keeps an eye on the objects of one resource, whatever happens to the connection, the server, or the permissions.
 *
 * First comes an event of the type `null` for each existing object, then the mark, then the changes as they happen.
 * The stream is resumed from the last seen version after interruptions; where this is not possible, everything
 * is listed again, and deletions that were missed come as `DELETED` with `vanished`.
 *
 * @example
 * const source = new WatchSource({ resource, api, settings, clock, random, logger });
 * await source.run((event) => console.log(event), controller.signal);
 */
export class WatchSource {
  /** The reason to abort the signal with if the source is to be started again later. */
  static readonly PAUSE = 'pause';

  private readonly known = new KnownObjects();
  private readonly backoff: WatchBackoff;
  private readonly reporter: WatchReporter;
  private readonly path: string;
  private readonly unknownTypes = new Set<string>();
  private state: WatchState = 'idle';
  private since: number;
  private restarts = 0;
  private lastEventAt?: number;
  private lastError?: unknown;
  private resourceVersion?: string;
  private openedAt?: number;
  private onEvent: (event: WatchSourceEvent | ListedMark) => void;

  constructor(private readonly options: WatchSourceOptions) {
    this.backoff = new WatchBackoff(() => options.settings.reconnectBackoff, options.random);
    this.reporter = new WatchReporter(options.logger, options.resource, options.namespace);
    this.path = resourceUrl(options.resource, { namespace: options.namespace });
    this.since = options.clock.now();
  }

  get status(): WatchStatus {
    const { state, since, lastEventAt, restarts, lastError, resourceVersion, known } = this;
    return { state, since, lastEventAt, restarts, lastError, resourceVersion, objects: known.size };
  }

  /**
   * Lists and watches until the signal is aborted; never rejects.
   * Can be called again after it has returned: what has vanished meanwhile is noticed.
   *
   * @param onEvent called for each event; what it throws is logged.
   * @param signal ends the run; with the reason {@link WatchSource.PAUSE} the state is `paused` afterwards.
   */
  async run(onEvent: (event: WatchSourceEvent | ListedMark) => void, signal: AbortSignal): Promise<void> {
    // One signal for very many watches is fine.
    setMaxListeners(0, signal);
    this.onEvent = onEvent;
    this.backoff.reset();
    let step: Step = LIST;
    while (!signal.aborted) {
      try {
        step = await this.perform(step, signal);
      } catch (error) {
        if (signal.aborted) break;
        step = this.recover(error, step);
      }
    }
    this.transit(signal.reason === WatchSource.PAUSE ? 'paused' : 'stopped');
  }

  private async perform(step: Step, signal: AbortSignal): Promise<Step> {
    switch (step.do) {
      case 'list':
        return this.list(step.paged, signal);
      case 'watch':
        return this.watch(signal);
      case 'wait':
        this.transit(step.state);
        if (await sleep(this.options.clock, step.seconds, signal)) this.restarts++;
        return step.next;
    }
  }

  private async list(paged: boolean, signal: AbortSignal): Promise<Step> {
    const { api, settings } = this.options;
    this.transit('listing');
    this.resourceVersion = undefined;
    this.known.beginListing();
    const limit = paged ? String(settings.pageSize) : undefined;
    for (let token: string | undefined; ;) {
      const page = await api
        .list(this.url({ limit, continue: token }), { signal, retries: false })
        .catch((error: unknown) => (token && error instanceof ApiGoneError ? undefined : Promise.reject(error)));
      // The token has expired in the middle: everything at once cannot expire.
      if (!page) return { do: 'list', paged: false };
      this.lastEventAt = this.options.clock.now();
      for (const object of page.items ?? []) {
        this.known.add(object.metadata);
        this.emit({ type: null, object });
      }
      this.resourceVersion = page.metadata.resourceVersion;
      token = page.metadata.continue;
      if (!token) break;
    }
    for (const vanished of this.known.completeListing()) this.emit(this.makeDeletion(vanished));
    this.emit('LISTED');
    return WATCH;
  }

  private async watch(signal: AbortSignal): Promise<Step> {
    const { api, settings, clock } = this.options;
    this.openedAt = undefined;
    await new WatchConnection(api, settings, clock).read(this.watchUrl(), signal, {
      onOpen: () => this.open(),
      onLine: (line) => this.receive(line),
    });
    this.creditQuietTime();
    return { do: 'wait', state: 'backingOff', seconds: this.backoff.next(), next: WATCH };
  }

  private recover(error: unknown, step: Step): Step {
    const opened = step.do === 'watch' && this.openedAt !== undefined;
    if (opened) this.creditQuietTime();
    const failure = classifyFailure(error, opened, this.backoff.failures);
    const seconds = this.backoff.next(failure.delay);
    if (!failure.expected) this.lastError = error;
    this.reporter.failed(error, failure, opened, seconds);
    const next = step.do === 'watch' && !failure.relist ? WATCH : LIST;
    return { do: 'wait', state: failure.state, seconds, next };
  }

  private open(): void {
    this.openedAt = this.options.clock.monotonic();
    this.transit('watching');
    if (this.reporter.opened()) this.lastError = undefined;
  }

  private receive(line: string): void {
    const event = parseWatchLine(line, this.path);
    const { metadata } = event.object;
    this.lastEventAt = this.options.clock.now();
    this.resourceVersion = metadata.resourceVersion ?? this.resourceVersion;
    if (this.backoff.failures || this.lastError) this.progress();
    switch (event.type) {
      case 'ADDED':
      case 'MODIFIED':
        this.known.add(metadata);
        return this.emit(event as WatchEvent);
      case 'DELETED':
        this.known.remove(metadata);
        return this.emit(event as WatchEvent);
      case 'BOOKMARK':
        return;
      default:
        return this.ignore(event.type);
    }
  }

  private emit(event: WatchSourceEvent | ListedMark): void {
    try {
      this.onEvent(event);
    } catch (error) {
      this.options.logger.error(`An event of ${this.reporter.subject} could not be taken.`, error);
    }
  }

  private ignore(type: string): void {
    if (this.unknownTypes.has(type)) return;
    this.unknownTypes.add(type);
    this.options.logger.warn(`Ignoring events of the unknown type "${type}" of ${this.reporter.subject}.`);
  }

  private creditQuietTime(): void {
    if (this.openedAt === undefined) return;
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
    this.since = this.options.clock.now();
    this.options.onStatus?.(this.status);
  }

  private makeDeletion({ uid, name, namespace }: KnownObject): WatchSourceEvent {
    const { resource } = this.options;
    const metadata: ObjectMeta = { name, namespace, uid };
    const object: KubeObject = { apiVersion: resourceApiVersion(resource), kind: resource.kind, metadata };
    return { type: 'DELETED', object, vanished: true };
  }

  private watchUrl(): string {
    const { serverTimeout } = this.options.settings;
    return this.url({
      watch: 'true',
      allowWatchBookmarks: 'true',
      resourceVersion: this.resourceVersion,
      timeoutSeconds: serverTimeout === null ? undefined : String(Math.ceil(serverTimeout)),
    });
  }

  private url(query: Record<string, string | undefined>): string {
    const { resource, namespace, labelSelector, fieldSelector } = this.options;
    return resourceUrl(resource, { namespace, query: { ...query, labelSelector, fieldSelector } });
  }
}
