import { ApiForbiddenError } from '../../client/api/api.errors.js';
import type { WatchStatus } from '../../client/watch/watch.reporter.js';
import type { WatchSourceOptions } from '../../client/watch/watch.requests.js';
import { WatchSource } from '../../client/watch/watch.source.js';
import type { KubeWatchEvent } from '../../client/watch/watch.event.js';
import { errorText } from 'kube-common';
import { KOPF_CHANNELS, type WatchMessage } from '../../diagnostics/channels.js';
import { qualifiedName, resourceKey, type Resource } from '../../resources/resources.js';
import type { InspectedWatch } from '../inspection.types.js';
import type { ResourceRole } from './cluster.scanner.js';

/** The part of a watch's options that all watches of the console have in common. */
export type WatchTools = Omit<WatchSourceOptions, 'resource' | 'namespace' | 'onStatus'>;

/** The resource and namespace that one watch is for. */
export interface ClusterWatchTarget {
  readonly role: ResourceRole;
  readonly resource: Resource;
  /** Absent for all namespaces, and for resources without namespaces. */
  readonly namespace?: string;
  /** The selector of the objects by fields: `metadata.name=kopf-operator`. */
  readonly fieldSelector?: string;
}

/** The receiver of what the watches report. */
export interface WatchReceiver {
  /** Takes an event of an object; one of the type `null` is of an object that was there. */
  receive(target: ClusterWatchTarget, event: KubeWatchEvent): void;
  /** Called when a watch has changed its state. */
  onState(): void;
}

/** The most watches that list their objects at the same time: each list costs the API server memory. */
const LISTS_AT_ONCE = 4;

interface RunningWatch {
  readonly target: ClusterWatchTarget;
  readonly source: WatchSource;
  readonly stopping: AbortController;
  ended: Promise<void>;
  bookmarks: number;
  /** Whether the first list has not ended yet; other watches wait for their turn to list. */
  isFirst: boolean;
  /** The number of relists. */
  relisted: number;
}

/** The watches of many resources of a cluster, a few of which list their objects at a time. */
export class ClusterWatches {
  private readonly watches = new Map<string, RunningWatch>();
  private readonly queue: RunningWatch[] = [];
  private listing = 0;

  constructor(
    private readonly tools: WatchTools,
    private readonly receiver: WatchReceiver,
  ) {}

  /** Begins to count the interruptions of the watches. */
  start(): void {
    KOPF_CHANNELS.watch.subscribe(this.count);
  }

  /** Watches the target, too, unless it is watched already. It lists its objects when it is its turn. */
  add(target: ClusterWatchTarget): void {
    const key = keyOf(target);
    if (this.watches.has(key)) return;
    const watch: RunningWatch = {
      target,
      source: new WatchSource({ ...this.tools, ...target, onStatus: (status) => this.takeStatus(watch, status) }),
      stopping: new AbortController(),
      ended: Promise.resolve(),
      isFirst: true,
      bookmarks: 0,
      relisted: 0,
    };
    this.watches.set(key, watch);
    this.queue.push(watch);
    this.startNext();
  }

  /** Ends all watches of a resource. */
  async remove(resource: Resource): Promise<void> {
    const removed = [...this.watches].filter(
      ([, { target }]) => resourceKey(target.resource) === resourceKey(resource),
    );
    for (const [key] of removed) this.watches.delete(key);
    await Promise.all(removed.map(([, watch]) => end(watch)));
  }

  /** Ends all watches. */
  async stop(): Promise<void> {
    KOPF_CHANNELS.watch.unsubscribe(this.count);
    this.queue.length = 0;
    await Promise.all([...this.watches.values()].map(end));
    this.watches.clear();
  }

  /** The resources that are watched. */
  get resources(): readonly Resource[] {
    return [...new Set([...this.watches.values()].map(({ target }) => target.resource))];
  }

  /** Describes all watches for the console. */
  inspect(): readonly InspectedWatch[] {
    return [...this.watches.values()].map(({ target, source, bookmarks, relisted }) => {
      const { state, since, lastEventAt, resourceVersion, objects, restarts, lastError } = source.status;
      const { resource, namespace } = target;
      return {
        resource: qualifiedName(resource),
        kind: resource.kind,
        ...(namespace !== undefined && { namespace }),
        state,
        since,
        ...(lastEventAt !== undefined && { lastEventAt }),
        ...(resourceVersion !== undefined && { resourceVersion }),
        objects,
        restarts,
        bookmarks,
        gone: relisted,
        ...(lastError !== undefined && { error: describeError(lastError) }),
        // Events are taken as they come.
        backlog: 0,
      };
    });
  }

  private startNext(): void {
    while (this.listing < LISTS_AT_ONCE) {
      const watch = this.queue.shift();
      if (!watch) return;
      if (watch.stopping.signal.aborted) continue;
      this.listing++;
      const { target, source, stopping } = watch;
      const take = (event: KubeWatchEvent | 'LISTED'): void => {
        if (event === 'LISTED') this.endTurn(watch);
        else this.receiver.receive(target, event);
      };
      watch.ended = source.run(take, stopping.signal).finally(() => this.endTurn(watch));
    }
  }

  private takeStatus(watch: RunningWatch, { state }: WatchStatus): void {
    // A watch that failed waits behind the others before it lists again.
    if (state !== 'listing') this.endTurn(watch);
    else if (!watch.isFirst) watch.relisted++;
    this.receiver.onState();
  }

  private endTurn(watch: RunningWatch): void {
    if (!watch.isFirst) return;
    watch.isFirst = false;
    this.listing--;
    this.startNext();
  }

  private readonly count = ({ operator, resource, namespace, what }: WatchMessage): void => {
    if (what !== 'bookmark' || operator !== this.tools.api.operator) return;
    for (const watch of this.watches.values()) {
      if (watch.target.resource === resource && watch.target.namespace === namespace) watch.bookmarks++;
    }
  };
}

function end({ stopping, ended }: RunningWatch): Promise<void> {
  stopping.abort();
  return ended;
}

function keyOf({ role, resource, namespace = '', fieldSelector = '' }: ClusterWatchTarget): string {
  return JSON.stringify([role, resourceKey(resource), namespace, fieldSelector]);
}

function describeError(error: unknown): string {
  return error instanceof ApiForbiddenError ? `You are not allowed to watch it: ${errorText(error)}` : errorText(error);
}
