import { once } from 'node:events';
import { createServer as createHttpServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { createServer as createHttpsServer, Server as HttpsServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import type { SecureContextOptions } from 'node:tls';
import { type Clock, errorText } from 'kube-common';
import { KopfBootstrapError } from '../../common/kopf.errors.js';
import type { KopfLogger } from '../../common/kopf.logger.js';
import { ConnectionTracker } from './connection.tracker.js';
import type { VerifyMode } from './webhook-server.options.js';

/** Configures a listener. */
export interface WebhookListenerOptions {
  readonly handle: (request: IncomingMessage, response: ServerResponse) => Promise<void>;
  readonly addr?: string;
  readonly port?: number;
  readonly verifyMode: VerifyMode;
  /** Limits how long a request may take, in seconds. */
  readonly requestTimeout: number;
  readonly clock: Clock;
  readonly logger: KopfLogger;
}

/** Longer than the API server keeps idle connections, so that it is never the server which closes one that is about to be used. */
const KEEP_ALIVE_TIMEOUT = 120_000;
const HANDSHAKE_TIMEOUT = 10_000;
const HEADERS_TIMEOUT = 10_000;
/** Sets how often requests are checked for their timeouts, in milliseconds. */
const CHECKING_INTERVAL = 5_000;
/** Limits how many connections the system keeps until they are accepted. */
const BACKLOG = 1024;

/** Listens for HTTP, or for HTTPS with certificates that can be exchanged while connections are open. */
export class WebhookListener {
  private server?: Server;
  private tracker?: ConnectionTracker;
  private closing?: Promise<void>;

  constructor(private readonly options: WebhookListenerOptions) {}

  /** The port that it listens at. */
  get port(): number {
    return (this.server?.address() as AddressInfo | null)?.port ?? 0;
  }

  /**
   * Starts to listen.
   *
   * @param tls the certificate; without it, it is HTTP.
   * @throws KopfBootstrapError if the address is in use, or is not the machine's.
   */
  async listen(tls?: SecureContextOptions): Promise<void> {
    const server = this.create(tls);
    this.server = server;
    this.tracker = new ConnectionTracker(server, tls !== undefined, this.options.clock);
    const onRequest = (request: IncomingMessage, response: ServerResponse): void => {
      this.tracker?.follow(request, response);
      // It never rejects.
      void this.options.handle(request, response);
    };
    server.on('request', onRequest).on('checkContinue', onRequest);
    server.on('tlsClientError', (error: Error) =>
      this.options.logger.debug(() => `A client could not connect to the webhooks: ${errorText(error)}`),
    );
    const { addr: host, port } = this.options;
    server.listen({ host, port: port ?? 0, backlog: BACKLOG });
    try {
      await once(server, 'listening');
    } catch (error) {
      throw new KopfBootstrapError([`Cannot listen for webhooks at ${host ?? '*'}:${port ?? 0}: ${errorText(error)}`]);
    }
    server.on('error', (error) => this.options.logger.error('The server of webhooks has failed.', error));
  }

  /** Uses other certificates for new connections; those that are open are not touched. */
  secure(tls: SecureContextOptions): void {
    if (this.server instanceof HttpsServer) this.server.setSecureContext(tls);
  }

  /** Accepts connections still, but keeps none of them for more than one request. */
  drain(): void {
    this.tracker?.drain();
  }

  /**
   * Closes after the answers in progress.
   *
   * @param timeout the longest time for it, in seconds.
   */
  close(timeout: number): Promise<void> {
    if (!this.server?.listening) return this.closing ?? Promise.resolve();
    this.closing ??= this.tracker!.close(timeout);
    return this.closing;
  }

  private create(tls?: SecureContextOptions): Server {
    const { verifyMode, requestTimeout } = this.options;
    const options = {
      keepAliveTimeout: KEEP_ALIVE_TIMEOUT,
      headersTimeout: Math.min(HEADERS_TIMEOUT, requestTimeout * 1000),
      requestTimeout: requestTimeout * 1000,
      connectionsCheckingInterval: CHECKING_INTERVAL,
    };
    if (!tls) return createHttpServer(options);
    return createHttpsServer({
      ...options,
      ...tls,
      handshakeTimeout: HANDSHAKE_TIMEOUT,
      requestCert: verifyMode !== 'none',
      rejectUnauthorized: verifyMode === 'required',
    });
  }
}
