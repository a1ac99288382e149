import type { ConnectionInfo } from './connection-info.js';
import type { KubeTransport } from 'kube-common';

/** Valid credentials with the connections that use them. Printing it shows no secrets. */
export class VaultItem {
  readonly #info: ConnectionInfo;
  readonly #transport: KubeTransport;
  /** The host of the API server, with the port if it is not the usual one. */
  readonly host: string;

  constructor(
    readonly key: string,
    info: ConnectionInfo,
    transport: KubeTransport,
    /** Holds the contents of the certificate and key files when the credentials were read. */
    readonly files = '',
    /** As whom it acts, if the credentials tell. */
    readonly user?: string,
  ) {
    this.#info = info;
    this.#transport = transport;
    this.host = URL.canParse(info.server) ? new URL(info.server).host : info.server;
  }

  get info(): ConnectionInfo {
    return this.#info;
  }

  get transport(): KubeTransport {
    return this.#transport;
  }

  get priority(): number {
    return this.#info.priority ?? 0;
  }

  /**
   * When the credentials are replaced, on the monotonic clock: the local wall clock is asked once, when they come, for how long they live, so
   * that it may be set later. Infinity if they do not expire, and if they should have expired before they came: then the server decides.
   */
  outdatedAt = Infinity;

  /** When the credentials expire, in milliseconds since the epoch; infinity if never. */
  get expiresAt(): number {
    return this.#info.expiration?.getTime() ?? Infinity;
  }
}
