import type { ConnectionInfo } from './connection-info.js';
import type { KubeTransport } from 'kube-common';

/** Valid credentials with the connections that use them. Printing it shows no secrets. */
export class VaultItem {
  readonly #info: ConnectionInfo;
  readonly #transport: KubeTransport;
  /** The host of the API server, with the port if it is not the default one. */
  readonly host: string;

  constructor(
    readonly key: string,
    info: ConnectionInfo,
    transport: KubeTransport,
    /** The contents of the certificate and key files when the credentials were read. */
    readonly files = '',
    /** The user of the credentials, if they show one. */
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
   * The time at which the credentials are replaced, on the monotonic clock: the wall clock is read once, when they arrive, to compute how
   * long they live, so that it may be set later. Infinity if they do not expire, or if they had expired before they arrived: then the
   * server decides.
   */
  outdatedAt = Infinity;

  /** The time at which the credentials expire, in milliseconds since the epoch; infinity if never. */
  get expiresAt(): number {
    return this.#info.expiration?.getTime() ?? Infinity;
  }
}
