/**
 * The way to an API server: one HTTP exchange at a time.
 *
 * `nestjs-kopf` declares the same shapes, so an embedded server's transport can be given to it as it is,
 * although neither package needs the other.
 */
export interface KubeTransport {
  /**
   * Sends one request and resolves once the response's status and headers are there.
   * Rejects if there is no response (the server is stopped, the signal was aborted).
   */
  request(request: KubeRequest): Promise<KubeResponse>;
  /** Ends the requests in flight; later ones are rejected. */
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
  /** A watch or a followed log: answered for long. */
  readonly streaming?: boolean;
  readonly signal?: AbortSignal;
}

/** A response of an API server. The body is consumed once, either as a text or as chunks. */
export interface KubeResponse {
  readonly status: number;
  /** Header names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  /** The rest of the body as a text. */
  text(): Promise<string>;
  /** The body as it arrives. Ending the iteration early closes the stream. */
  chunks(): AsyncIterable<Uint8Array>;
}
