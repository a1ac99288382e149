import type { KubeTransport } from 'kube-common';

/** The selector of the requests that meet a fault: all given members must match. */
export interface FaultedRequests {
  /** `get list watch create update patch delete`; one of them, or any of several. */
  readonly verb?: string | readonly string[];
  /** The plural with the group: `pods`, `kopfexamples.kopf.dev`. */
  readonly resource?: string;
  readonly namespace?: string;
  readonly name?: string;
  /** The sender: an operator is `nestjs-kopf/VERSION`, the test itself `kopf-test`. */
  readonly userAgent?: string | RegExp;
  /** The most requests that meet the fault. @default 1 */
  readonly times?: number;
}

/** The answer to a rejected request. */
export interface RejectionAnswer {
  readonly message?: string;
  /** Seconds after which the client may try again, for the header `Retry-After`. */
  readonly retryAfter?: number;
}

/** A fault that was ordered. */
export interface OrderedFault {
  /** The number of requests that have met the fault so far. */
  readonly hits: number;
  cancel(): void;
}

/**
 * The faults that tests inject between the API server and the operator: the ones that tests need most of those that `embedded-kube` has.
 */
export interface ServerFaults {
  /** Descriptions of the faults that nothing has met so far. The server warns of them when it stops. */
  readonly unmet: readonly string[];
  /** Answers the next matching requests with a status: 429, 500. */
  reject(status: number, options?: FaultedRequests & RejectionAnswer): OrderedFault;
  /** Delays the next matching requests. @param seconds on the test's clock */
  delay(seconds: number, match?: FaultedRequests): OrderedFault;
  /** Breaks the connections of the next matching requests, before or after the server has done what they ask for. */
  cut(moment: 'before' | 'after', match?: FaultedRequests): OrderedFault;
  /** Ends, breaks, or silences the matching watches that are open now. @returns how many they are */
  damageWatches(damage: 'end' | 'cut' | 'stall', match?: FaultedRequests): number;
  /** Forgets the history, so that watches have to list again. */
  expireHistory(): unknown;
  /** Stops the server as a crash does, until it is started again. What was written stays. */
  goDown(): Promise<void>;
  comeBack(): Promise<void>;
  /** Cancels all faults that wait for requests. */
  clear(): void;
}

/** An `EmbeddedKube`, as far as tests use it through the kit; its package has all types. */
export interface EmbeddedServer {
  readonly url: string;
  readonly faults: ServerFaults;
  /** A way to the server. @param token whose requests they are. @default the administrator's */
  transport(token?: string): KubeTransport;
  stop(): Promise<void>;
}
