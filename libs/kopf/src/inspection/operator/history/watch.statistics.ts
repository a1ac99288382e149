import type { QueueMessage, WatchMessage } from '../../../diagnostics/channels.js';
import { ApiGoneError } from '../../../client/api/api.errors.js';
import type { Resource } from '../../../resources/resources.js';
import { resourceKey } from '../../../resources/resources.js';

/** The number of last waits of which the longest one is shown. */
const MOST_WAITS = 100;

/** The counts of one watch. */
export interface WatchCounts {
  readonly bookmarks: number;
  readonly gone: number;
}

/** The counts of interruptions and bookmarks of watches, and the waits of events for a worker. */
export class WatchStatistics {
  private readonly counts = new Map<string, { bookmarks: number; gone: number }>();
  private readonly waits = new Map<string, number[]>();

  record({ resource, namespace, what, error }: WatchMessage): void {
    const key = keyOf(resource, namespace);
    const counted = this.counts.get(key) ?? { bookmarks: 0, gone: 0 };
    this.counts.set(key, counted);
    if (what === 'bookmark') counted.bookmarks += 1;
    if (error instanceof ApiGoneError) counted.gone += 1;
  }

  recordWait({ resource, waited }: QueueMessage): void {
    if (waited === undefined) return;
    const key = resourceKey(resource);
    const waits = this.waits.get(key);
    if (!waits) this.waits.set(key, [waited]);
    else if (waits.push(waited) > MOST_WAITS) waits.shift();
  }

  of(resource: Resource, namespace: string | undefined): WatchCounts {
    return this.counts.get(keyOf(resource, namespace)) ?? { bookmarks: 0, gone: 0 };
  }

  /** The longest of the last waits for a worker, in seconds; `undefined` if none is known. */
  lagOf(resource: Resource): number | undefined {
    const waits = this.waits.get(resourceKey(resource));
    return waits && Math.max(...waits);
  }

  clear(): void {
    this.counts.clear();
    this.waits.clear();
  }
}

function keyOf(resource: Resource, namespace: string | undefined): string {
  return `${namespace ?? ''}/${resourceKey(resource)}`;
}
