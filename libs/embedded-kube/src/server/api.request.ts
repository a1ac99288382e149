import type { Duplex } from 'node:stream';
import type { ClientCertificate } from '../access/authenticator.js';
import type { LaggingMember } from '../machinery/lagging.member.js';
import type { WriteCause } from '../storage/stored.object.js';

/** The sender of a request, for the record; the user is not known before the request is authenticated. */
export interface RequestCause extends WriteCause {
  user: string;
}

/** A request as the server processes it, over HTTPS or from the same process. */
export interface ApiRequest {
  readonly method: string;
  /** The path with the query. */
  readonly path: string;
  /** The headers by names in lower case. Several values of a header of impersonation stand on separate lines. */
  readonly headers: Readonly<Record<string, string | undefined>>;
  /** The certificate of the client, if the connection has one. */
  readonly certificate?: ClientCertificate;
  /** The body; bytes if it is in protobuf. */
  readonly body: string | Uint8Array;
  /** The record of the request in the history; the server adds the name of the user. */
  readonly record?: RequestCause;
  /** The member of the cluster that answers a read, if it meets a lag. */
  readonly member?: LaggingMember;
  /** Calls the listener when the client does not wait for the answer any longer; at once if it has gone already. */
  readonly onGone?: (listener: () => void) => void;
}

/** The server's answer. */
export interface ApiResponse {
  readonly status: number;
  /** Header names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  /** A text, or chunks that come as things happen; the reader calls `return` when it needs no more. */
  readonly body: string | AsyncIterableIterator<Uint8Array>;
  /**
   * Speaks another protocol on the connection after the answer, which is 101.
   *
   * @param head what the client has sent of that protocol already
   * @param body the body of this answer, as it has arrived
   */
  readonly upgrade?: (connection: Duplex, head: Uint8Array, body: ApiResponse['body']) => void;
}

/** A server that answers requests. */
export interface RequestHandler {
  /** Answers a request. @throws Error if the connection is to be closed without an answer */
  handle(request: ApiRequest): Promise<ApiResponse>;
}

/** Yields a body of bytes that are no text. */
export async function* singleChunk(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes;
}
