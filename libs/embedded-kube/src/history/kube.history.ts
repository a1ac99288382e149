// history: the requests to the server with their users, and the changes that they made, for the assertions of tests.
// Wraps the server's RequestHandler, faults included, and listens to the store; costs nothing without a recording.
// May import: common, resources, storage, server, faults.

import type { Clock } from 'kube-common';
import { matchesRequest, matchesText } from '../faults/fault.matching.js';
import type { ApiRequest, ApiResponse, RequestHandler } from '../server/api.request.js';
import type { ObjectStore } from '../storage/object.store.js';
import type { StorageEvent } from '../storage/stored.object.js';
import { LatestEntries } from './latest.entries.js';
import { RequestRecord } from './request.record.js';
import type {
  HistoryOptions,
  RecordedChange,
  RecordedChangeMatch,
  RecordedRequest,
  RecordedRequestMatch,
} from './recorded.types.js';

const LIMIT = 10_000;

/**
 * The history of requests and of changes of objects, recorded once it is started.
 *
 * @example
 * kube.history.start();
 * // … the operator works
 * expect(kube.history.requests({ verb: 'patch', hasChanged: false })).toEqual([]);
 * expect(kube.history.changes({ resource: 'pods', type: 'ADDED' })).toHaveLength(3);
 */
export class KubeHistory {
  private requestRecords = new LatestEntries<RequestRecord>(LIMIT);
  private changeRecords = new LatestEntries<RecordedChange>(LIMIT);
  private unsubscribe: (() => void) | undefined;
  private count = 0;
  private onChange: HistoryOptions['onChange'];

  constructor(
    private readonly store: ObjectStore,
    private readonly clock: Clock,
  ) {}

  /** Whether requests and changes are recorded. */
  get isRecording(): boolean {
    return this.unsubscribe !== undefined;
  }

  /** Begins to record; what it has recorded before stays. */
  start({ limit = LIMIT, onChange }: HistoryOptions = {}): void {
    this.onChange = onChange;
    this.requestRecords = this.requestRecords.limited(limit);
    this.changeRecords = this.changeRecords.limited(limit);
    this.unsubscribe ??= this.store.subscribe((event) => this.addChange(event));
  }

  /** Records nothing more; what it has recorded stays. */
  stop(): void {
    this.unsubscribe?.();
    this.unsubscribe = undefined;
  }

  /** Forgets what it has recorded. */
  clear(): void {
    this.requestRecords.clear();
    this.changeRecords.clear();
  }

  /** Returns the requests that match, in the order of their arrival, those that met a fault included. */
  requests(match: RecordedRequestMatch = {}): readonly RecordedRequest[] {
    const { user, status, hasChanged, ...request } = match;
    return this.requestRecords
      .all()
      .filter(
        (each) =>
          (user === undefined || user === each.user) &&
          (status === undefined || status === each.status) &&
          (hasChanged === undefined || hasChanged === each.changes.length > 0) &&
          matchesRequest(request, each),
      );
  }

  /** Returns the changes that match, in the order of versions, those by controllers and by `kube.client` included. */
  changes(match: RecordedChangeMatch = {}): readonly RecordedChange[] {
    const { type, resource, namespace, name, user, userAgent } = match;
    return this.changeRecords
      .all()
      .filter(
        (each) =>
          (type === undefined || type === each.type) &&
          (resource === undefined || resource === each.resource) &&
          (namespace === undefined || namespace === each.namespace) &&
          (name === undefined || name === each.name) &&
          (user === undefined || user === each.user) &&
          matchesText(userAgent, each.userAgent),
      );
  }

  /** @internal Passes a request on, and keeps its record. */
  async follow(request: ApiRequest, server: RequestHandler): Promise<ApiResponse> {
    const record = new RequestRecord(request, (this.count += 1), this.clock.now());
    this.requestRecords.add(record);
    const response = await server.handle({ ...request, record });
    record.status = response.status;
    return response;
  }

  private addChange({ type, collection: resource, revision, current, previous, cause }: StorageEvent): void {
    const request = cause instanceof RequestRecord ? cause : undefined;
    const change: RecordedChange = {
      type,
      resource,
      namespace: current.namespace,
      name: current.name,
      resourceVersion: String(revision),
      time: this.clock.now(),
      object: current.object,
      ...(previous && { previous: previous.object }),
      user: cause?.user ?? '',
      userAgent: cause?.userAgent ?? '',
      ...(request && { request }),
    };
    this.changeRecords.add(change);
    request?.changes.push(change);
    this.onChange?.(change);
  }
}

/** A server that records the requests on their way to another one. */
export class RecordingServer implements RequestHandler {
  constructor(
    private readonly server: RequestHandler,
    private readonly history: KubeHistory,
  ) {}

  handle(request: ApiRequest): Promise<ApiResponse> {
    return this.history.isRecording ? this.history.follow(request, this.server) : this.server.handle(request);
  }
}
