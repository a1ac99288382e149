import type { Clock, Random } from 'kube-common';
import { invalidField } from '../errors/field.error.js';
import { StatusError } from '../errors/status.error.js';
import { expired } from '../errors/status.errors.js';
import type { ServedResource } from '../resources/served.resource.js';
import type { ObjectStore } from '../storage/object.store.js';
import type { StoredObject, StorageEvent } from '../storage/stored.object.js';
import type { ListOptions } from './object.lister.js';
import { ObjectSelection, selectEvent } from './object.selection.js';
import { WatchStream } from './watch.stream.js';

/** The encoder of the lines of one watch. */
export interface WatchEncoder {
  event(type: 'ADDED' | 'MODIFIED' | 'DELETED', object: StoredObject): Uint8Array;
  /** @param initialEnd whether the bookmark marks the end of the objects that were there at the beginning */
  bookmark(revision: number, initialEnd: boolean): Uint8Array;
  error(error: StatusError): Uint8Array;
}

/** The shortest time of a watch without a timeout; the longest is twice as long, so that watches do not end together. */
const MINIMAL_TIMEOUT = 30 * 60_000;

/** A watch that is open. */
interface OpenWatch {
  readonly storageKey: string;
  readonly stream: WatchStream;
  readonly bookmark: (() => void) | undefined;
}

/** The watches: existing objects, changes since a version, and changes from now on. */
export class WatchService {
  private readonly open = new Set<OpenWatch>();
  private cancelBookmarks: (() => void) | undefined;

  /** @param bookmarkInterval the time between the bookmarks of a watch, in milliseconds */
  constructor(
    private readonly store: ObjectStore,
    private readonly clock: Clock,
    private readonly random: Random,
    private readonly bookmarkInterval: number,
  ) {}

  /** The number of open watches. */
  get size(): number {
    return this.open.size;
  }

  /**
   * Opens a watch.
   *
   * @param namespace `undefined` for all namespaces
   * @param encoder the encoder of this watch alone
   * @throws StatusError 400 for a selector or a version that cannot be read; a version that is gone is reported in the stream
   */
  watch(
    served: ServedResource,
    namespace: string | undefined,
    options: ListOptions,
    encoder: WatchEncoder,
  ): WatchStream {
    const selection = ObjectSelection.parse(
      served,
      options.labelSelector,
      options.fieldSelector,
      options.shardSelector,
    );
    const since = parseVersion(options.resourceVersion);
    const collection = this.store.collection(served.storageKey);
    const releases: (() => void)[] = [];
    const stream = new WatchStream(() => releases.forEach((release) => release()));
    let sent = 0;
    const send = (event: StorageEvent): void => {
      if (event.revision <= sent) return;
      const selected = selectEvent(event, namespace, selection);
      if (selected) stream.push(encoder.event(selected.type, selected.object));
    };
    const bookmark = (): void => stream.push(encoder.bookmark(Math.max(this.store.revision, sent), false));

    if (since === 0 && options.sendInitialEvents === false) {
      sent = this.store.revision;
    } else if (since === 0 || options.sendInitialEvents) {
      stream.beginWith(initialEvents(collection.list(namespace), selection, encoder));
      sent = this.store.revision;
      const marked = options.sendInitialEvents ?? options.resourceVersion === '';
      if (options.allowWatchBookmarks && marked) stream.push(encoder.bookmark(sent, true));
    } else if (collection.history.covers(since)) {
      for (const event of collection.history.since(since)) send(event);
      sent = Math.max(since, this.store.revision);
    } else {
      const message = `too old resource version: ${options.resourceVersion} (${collection.history.compacted})`;
      stream.push(encoder.error(expired(message)));
      stream.end();
      return stream;
    }
    const watch: OpenWatch = {
      storageKey: served.storageKey,
      stream,
      bookmark: options.allowWatchBookmarks ? bookmark : undefined,
    };
    releases.push(collection.subscribe(send), this.register(watch), this.limit(stream, options.timeoutSeconds));
    return stream;
  }

  /** Ends the watches of a resource that is not served any more; without one, all of them. */
  end(storageKey?: string): void {
    for (const watch of this.open) {
      if (storageKey === undefined || watch.storageKey === storageKey) watch.stream.end();
    }
  }

  private register(watch: OpenWatch): () => void {
    this.open.add(watch);
    if (!this.cancelBookmarks) this.scheduleBookmarks();
    return () => {
      this.open.delete(watch);
      if (this.open.size > 0) return;
      this.cancelBookmarks?.();
      this.cancelBookmarks = undefined;
    };
  }

  private scheduleBookmarks(): void {
    const timer = this.clock.setTimer(() => {
      for (const watch of this.open) watch.bookmark?.();
      this.scheduleBookmarks();
    }, this.bookmarkInterval);
    this.cancelBookmarks = () => timer.cancel();
  }

  private limit(stream: WatchStream, timeoutSeconds: number | undefined): () => void {
    const milliseconds = timeoutSeconds ? timeoutSeconds * 1000 : MINIMAL_TIMEOUT * (1 + this.random.next());
    const timer = this.clock.setTimer(() => stream.end(), milliseconds);
    return () => timer.cancel();
  }
}

function* initialEvents(
  objects: readonly StoredObject[],
  selection: ObjectSelection,
  encoder: WatchEncoder,
): Generator<Uint8Array> {
  for (const object of objects) if (selection.matches(object)) yield encoder.event('ADDED', object);
}

function parseVersion(text: string): number {
  if (text === '') return 0;
  if (/^\d+$/.test(text)) return Number(text);
  const { field, message } = invalidField(
    'resourceVersion',
    text,
    `strconv.ParseUint: parsing ${JSON.stringify(text)}: invalid syntax`,
  );
  throw new StatusError(500, '', `${field}: ${message}`);
}
