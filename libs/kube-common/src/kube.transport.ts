/**
 * The way to an API server: one HTTP exchange at a time, nothing about retries or credentials' renewal.
 *
 * Two implementations exist: connection pools to a remote server, and a call into an `embedded-kube` in the same process.
 */
export interface KubeTransport {
  /**
   * Sends one request and resolves once the response's status and headers are there.
   * Rejects if there is no response (the connection failed, the signal was aborted).
   */
  request(request: KubeRequest): Promise<KubeResponse>;
  /** Closes the connections; requests in flight are aborted. */
  close(): Promise<void>;
}

/** A request to an API server. */
export interface KubeRequest {
  readonly method: string;
  /** The path with the query, beginning with `/`: `/api/v1/pods?limit=500`. */
  readonly path: string;
  /** Header names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
  /** A watch or a followed log: answered for long, so it must not occupy a connection that short requests wait for. */
  readonly streaming?: boolean;
  /** Whether the request must not wait until a connection is free: the leadership depends on it. */
  readonly urgent?: boolean;
  readonly signal?: AbortSignal;
  /**
   * Whether the request must not be sent any more, because it is fenced or was given up while it waited. Transports call it right before
   * they write the request to a connection. Transports in which requests never wait need not ask.
   */
  readonly isFenced?: () => boolean;
}

/** A response of an API server. The body is consumed once, either as a text or as chunks. */
export interface KubeResponse {
  readonly status: number;
  /** Header names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  /** The rest of the body as a text: at once if it has arrived completely, as a promise would take longer than the rest of a small response. */
  text(): string | Promise<string>;
  /** The body as it arrives. Ending the iteration early closes the stream. */
  chunks(): AsyncIterable<Uint8Array>;
}
