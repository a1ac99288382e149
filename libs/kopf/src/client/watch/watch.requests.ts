import type { Clock, Random } from 'kube-common';
import type { KopfLogger } from '../../common/kopf.logger.js';
import { type Resource, resourceUrl } from '../../resources/resources.js';
import type { WatchingSettings } from '../../settings/client.settings.js';
import type { KubeApi } from '../api/api.client.js';
import type { WatchStatus } from './watch.reporter.js';

/** Configures a watch: the resource, the namespace, the selectors, and the client to watch with. */
export interface WatchSourceOptions {
  readonly resource: Resource;
  /** The namespace; all of them if absent. */
  readonly namespace?: string;
  /** Restricts the objects by labels, in the API's syntax: `app=web,tier!=cache`. */
  readonly labelSelector?: string;
  /** Restricts the objects by fields, in the API's syntax: `metadata.name=web`. */
  readonly fieldSelector?: string;
  /** Asks for the metadata of the objects only, where the server can leave out the rest. @default false */
  readonly isMetadataOnly?: boolean;
  readonly api: KubeApi;
  readonly settings: WatchingSettings;
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: KopfLogger;
  /**
   * Asked which resource to watch instead, when the server does not serve this one any more: another version of the same one.
   *
   * @returns `undefined` if there is no other, so that the same one is tried again.
   */
  readonly relocate?: (signal: AbortSignal) => Promise<Resource | undefined>;
  /** Told each time when the state changes. */
  readonly onStatus?: (status: WatchStatus) => void;
  /**
   * Called when the list of the objects need not be waited for: the watch is forbidden, not served, or stopped, or the server has answered
   * each attempt to list with an error for a minute. Can be called repeatedly; the list may still come later.
   */
  readonly onUnlisted?: () => void;
}

const METADATA_LIST = 'application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1,application/json';
const METADATA_EVENTS = 'application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1,application/json';

type Query = Readonly<Record<string, string | undefined>>;

/** Forms the URLs that a watch asks for: those of lists, of streams, and of streams that begin with a list. */
export class WatchRequests {
  /** The path without any query, which names the watch in errors. */
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

  /** @param resourceVersion the version to go on from. */
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
    const { resource, namespace, labelSelector, fieldSelector } = this.options;
    return resourceUrl(resource, { namespace, query: { ...query, labelSelector, fieldSelector } });
  }
}
