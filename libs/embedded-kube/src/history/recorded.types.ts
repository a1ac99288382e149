import type { FaultRequest, RequestMatch } from '../faults/fault.types.js';
import type { KubeObject } from '../resources/kube-object.js';

/** A request that was recorded, with what it has changed. */
export interface RecordedRequest extends FaultRequest {
  /** The number of the request, from 1 on, in the order of arrival. */
  readonly number: number;
  /** The time of its arrival, in milliseconds on the server's clock. */
  readonly time: number;
  /** The name of the user; empty if the request was not authenticated. */
  readonly user: string;
  /** The name of the client in its `User-Agent`; empty without one. */
  readonly userAgent: string;
  /** The status of the answer; absent while there is none, or if the connection broke before it. */
  readonly status?: number;
  /** The changes of objects that it has led to, also those of other objects; empty if it has changed nothing. */
  readonly changes: readonly RecordedChange[];
}

/** A recorded change of an object, with the user who has made it. */
export interface RecordedChange {
  readonly type: 'ADDED' | 'MODIFIED' | 'DELETED';
  /** The plural with the group: `pods`, `deployments.apps`. */
  readonly resource: string;
  /** Empty for resources of the cluster. */
  readonly namespace: string;
  readonly name: string;
  readonly resourceVersion: string;
  /** The time of the change, in milliseconds on the server's clock. */
  readonly time: number;
  /** The state since then, in the storage version; the last one if the object was deleted. Must not be changed. */
  readonly object: KubeObject;
  /** The state before; absent for `ADDED`. */
  readonly previous?: KubeObject;
  /** The name of the user; empty for changes that the server makes by itself, as for resource quotas. */
  readonly user: string;
  /** The name of the client: `kube-controller-manager` for controllers, `embedded-kube` for `kube.client`. */
  readonly userAgent: string;
  /** The request that has made the change; absent for changes without one. */
  readonly request?: RecordedRequest;
}

/** A condition on recorded requests: all given members must match. */
export interface RecordedRequestMatch extends RequestMatch {
  readonly user?: string;
  readonly status?: number;
  /** Whether the request has changed anything. */
  readonly hasChanged?: boolean;
}

/** A condition on recorded changes: all given members must match. */
export interface RecordedChangeMatch {
  readonly type?: RecordedChange['type'];
  /** The plural with the group: `pods`, `deployments.apps`. */
  readonly resource?: string;
  readonly namespace?: string;
  readonly name?: string;
  readonly user?: string;
  /** The whole name of the client, or an expression for a part of it. */
  readonly userAgent?: string | RegExp;
}

/** The options of the history. */
export interface HistoryOptions {
  /** The number of requests, and of changes, that are kept: the latest ones. @default 10000 */
  readonly limit?: number;
  /** Called with each change as soon as it is stored. It must not write at once. */
  readonly onChange?: (change: RecordedChange) => void;
}
