import type { StatusCause } from '../errors/status.error.js';

/** A request in the form that faults are matched with. */
export interface FaultRequest {
  readonly method: string;
  /** The path without the query. */
  readonly path: string;
  readonly query: URLSearchParams;
  /** `get list watch create update patch delete deletecollection` for resources; else the method in lower case. */
  readonly verb: string;
  /** The plural with the group: `pods`, `deployments.apps`; empty for paths that are no resources. */
  readonly resource: string;
  /** Empty where the path has none. */
  readonly namespace: string;
  /** Empty for whole collections. */
  readonly name: string;
  /** Empty for the object itself. */
  readonly subresource: string;
  /** Header names in lower case. */
  readonly headers: Readonly<Record<string, string | undefined>>;
  /** The body as it was sent; bytes if it is in protobuf. */
  readonly body: string | Uint8Array;
}

/** A line of a watch in the form that faults are matched with. */
export interface FaultLine {
  /** `ADDED`, `MODIFIED`, `DELETED`, `BOOKMARK`, or `ERROR`. */
  readonly type: string;
  /** The object's name; absent in bookmarks. */
  readonly name?: string;
  readonly namespace?: string;
}

/** A condition on the requests that meet a fault: all given members must match. */
export interface RequestMatch {
  readonly method?: string;
  /** The whole path without the query, or an expression for a part of it. */
  readonly path?: string | RegExp;
  /** One verb, or any of several. */
  readonly verb?: string | readonly string[];
  /** The plural with the group: `pods`, `kopfexamples.kopf.dev`. */
  readonly resource?: string;
  readonly namespace?: string;
  readonly name?: string;
  /** Empty for the object itself. */
  readonly subresource?: string;
  /** The whole of the header, or an expression for a part of it. */
  readonly userAgent?: string | RegExp;
  /** An expression for a part of a body that is text: `/"finalizers"/` for patches that change the finalizers. */
  readonly body?: RegExp;
  /** Any other condition. */
  readonly when?: (request: FaultRequest) => boolean;
}

/** The time or the number of requests that a fault lasts. */
export interface FaultLimit {
  /**
   * The number of requests or lines that meet the fault; `Infinity` until it is cancelled.
   *
   * @default 1; without a limit if there are `seconds`
   */
  readonly times?: number;
  /** The time after which the fault ends, in seconds on the server's clock. @default none: it ends by `times` */
  readonly seconds?: number;
}

/** A condition on the lines of watches that meet a fault: all given members must match a line of a matching watch. */
export interface LineMatch extends Omit<RequestMatch, 'verb' | 'method' | 'name' | 'body'> {
  /** `ADDED`, `MODIFIED`, `DELETED`, or `BOOKMARK`. */
  readonly type?: string;
  /** The object's name. */
  readonly name?: string;
}

/** A fault that was injected. */
export interface Fault {
  /** The number of requests or lines that have met the fault so far. */
  readonly hits: number;
  /** Ends the fault: nothing more meets it. What has met it already stays as it is. */
  cancel(): void;
}

/** The extent of a lag. */
export interface LagOptions {
  /** The version that the member is at: an earlier one for as far as the history of all resources goes back. @default the newest one */
  readonly at?: string;
  /** The promise or the signal at which the member catches up. @default when the lag is cancelled */
  readonly until?: Promise<unknown> | AbortSignal;
}

/** A lag that was injected: matching reads are answered by a member of the cluster that is behind. */
export interface Lag extends Fault {
  /** The version that the member is at. */
  readonly resourceVersion: string;
  /** Lets the member see the changes up to a version. @throws TypeError if it is no number */
  advance(resourceVersion: string): void;
  /** Lets the member catch up: its watches get what they have missed, and further requests are answered by the newest state. */
  cancel(): void;
}

/**
 * The time at which a connection breaks or falls silent: `before` the request is processed, `after` it has had its effect but before the
 * answer, or in the `middle` of the answer; of a watch, that is the middle of its first line.
 */
export type FaultPhase = 'before' | 'after' | 'middle';

/** An error response to a request. */
export interface RejectionOptions {
  /** The `Retry-After` header, in seconds. */
  readonly retryAfter?: number;
  /** @default the real server's for the status */
  readonly reason?: string;
  /** @default the real server's for the status */
  readonly message?: string;
  /** The fields that are invalid, or the rules that are violated, as `details.causes` lists them. @default none */
  readonly causes?: readonly StatusCause[];
}

/**
 * The damage to a line of a watch: it is not sent, sent twice, replaced by something that is no event, or the connection breaks or falls
 * silent in its middle.
 */
export type LineDamage = 'drop' | 'repeat' | 'garble' | 'cut' | 'stall';

/**
 * The damage to an open watch: it is ended in an orderly way, its connection breaks, or it falls silent; or the server reports an error in
 * it.
 */
export type WatchDamage = 'end' | 'cut' | 'stall' | { readonly error: number; readonly message?: string };
