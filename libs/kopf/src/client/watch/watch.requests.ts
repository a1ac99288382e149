import type { Clock, Random } from 'kube-common';
import type { KopfLogger } from '../../common/kopf.logger.js';
import { type Resource, resourceUrl } from '../../resources/resources.js';
import type { WatchingSettings } from '../../settings/client.settings.js';
import type { KubeApi } from '../api/api.client.js';
import type { ServerSelectors } from './server.selectors.js';
import type { WatchStatus } from './watch.reporter.js';

/** The options of a watch: the resource, the namespace, the selectors, and the client. */
export interface WatchSourceOptions extends ServerSelectors {
  readonly resource: Resource;
  /** The namespace; absent for all namespaces. */
  readonly namespace?: string;
  /** Whether only the metadata of the objects are requested, from servers that can omit the rest. @default false */
  readonly isMetadataOnly?: boolean;
  readonly api: KubeApi;
  readonly settings: WatchingSettings;
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: KopfLogger;
  /**
   * Finds another version of the resource to watch when the server does not serve this one any more.
   *
   * @returns `undefined` if there is none, so that the same resource is tried again.
   */
  readonly relocate?: (signal: AbortSignal) => Promise<Resource | undefined>;
  /** Called each time when the state changes. */
  readonly onStatus?: (status: WatchStatus) => void;
  /**
   * Called when the list of the objects is not to be waited for: the watch is forbidden, not served, or stopped, or the server has answered
   * each attempt to list with an error for a minute. May be called repeatedly; the list may still come later.
   */
  readonly onUnlisted?: () => void;
}

/** The media type that requests only the metadata of a list from servers that can omit the rest. */
export const METADATA_LIST = 'application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1,application/json';
const METADATA_EVENTS = 'application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1,application/json';

type Query = Readonly<Record<string, string | undefined>>;

/** The URLs of a watch's requests: lists, streams, and streams that begin with a list. */
export class WatchRequests {
  /** The path without a query, which identifies the watch in errors. */
  readonly path: string;

  constructor(private readonly options: WatchSourceOptions) {
    this.path = resourceUrl(options.resource, { namespace: options.namespace });
  }

  /** The headers of requests for lists. */
  get listHeaders(): Readonly<Record<string, string>> | undefined {
    return this.options.isMetadataOnly ? { accept: METADATA_LIST } : undefined;
  }

  /** The headers of requests for streams. */
  get streamHeaders(): Readonly<Record<string, string>> | undefined {
    return this.options.isMetadataOnly ? { accept: METADATA_EVENTS } : undefined;
  }

  listUrl(limit: string | undefined, token: string | undefined): string {
    return this.url({ limit, continue: token });
  }

  /** @param resourceVersion the version to resume from. */
  watchUrl(resourceVersion: string | undefined): string {
    return this.url(this.watching({ resourceVersion }));
  }

  streamedListUrl(): string {
    return this.url(this.watching({ sendInitialEvents: 'true', resourceVersionMatch: 'NotOlderThan' }));
  }

  private watching(query: Query): Query {
    const { serverTimeout } = this.options.settings;
    const timeoutSeconds = serverTimeout === null ? undefined : String(Math.ceil(serverTimeout));
    return { watch: 'true', allowWatchBookmarks: 'true', ...query, timeoutSeconds };
  }

  private url(query: Query): string {
    const { resource, namespace, labelSelector, fieldSelector, shardSelector } = this.options;
    return resourceUrl(resource, { namespace, query: { ...query, labelSelector, fieldSelector, shardSelector } });
  }
}
