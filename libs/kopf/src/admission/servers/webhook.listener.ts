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

/** The options of a listener. */
export interface WebhookListenerOptions {
  readonly handle: (request: IncomingMessage, response: ServerResponse) => Promise<void>;
  readonly addr?: string;
  readonly port?: number;
  readonly verifyMode: VerifyMode;
  /** The seconds that a request may take. */
  readonly requestTimeout: number;
  readonly clock: Clock;
  readonly logger: KopfLogger;
}

/**
 * The milliseconds for which idle connections stay open: longer than API servers keep them, so that the server never closes a connection
 * that is about to be used.
 */
const KEEP_ALIVE_TIMEOUT = 120_000;
const HANDSHAKE_TIMEOUT = 10_000;
const HEADERS_TIMEOUT = 10_000;
/** The milliseconds between two checks of requests for their timeouts. */
const CHECKING_INTERVAL = 5_000;
/** The most connections that the system keeps until they are accepted. */
const BACKLOG = 1024;

/** The listener for HTTP, or for HTTPS with a certificate that can be replaced while connections are open. */
export class WebhookListener {
  private server?: Server;
  private tracker?: ConnectionTracker;
  private closing?: Promise<void>;

  constructor(private readonly options: WebhookListenerOptions) {}

  /** The port at which it listens. */
  get port(): number {
    return (this.server?.address() as AddressInfo | null)?.port ?? 0;
  }

  /**
   * Starts to listen.
   *
   * @param tls the certificate. @default none, for HTTP
   * @throws KopfBootstrapError if the address is in use, or is not the machine's.
   */
  async listen(tls?: SecureContextOptions): Promise<void> {
    const server = this.create(tls);
    this.server = server;
    this.tracker = new ConnectionTracker(server, tls !== undefined, this.options.clock);
    const onRequest = (request: IncomingMessage, response: ServerResponse): void => {
      this.tracker?.follow(request, response);
      // handle() never rejects.
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

  /** Uses another certificate for new connections. Open connections are not affected. */
  secure(tls: SecureContextOptions): void {
    if (this.server instanceof HttpsServer) this.server.setSecureContext(tls);
  }

  /** Closes each connection after its next answer. New connections are still accepted. */
  drain(): void {
    this.tracker?.drain();
  }

  /**
   * Closes the listener after the answers in progress.
   *
   * @param timeout the most seconds for these answers.
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
