import type { Dispatcher } from 'undici';
import type { Clock, KubeRequest, KubeResponse, KubeTransport } from 'kube-common';
import type { ConnectionInfo } from '../vault/connection-info.js';
import type { NetworkingSettings, WatchingSettings } from '../../settings/client.settings.js';
import { Authorization, type AuthorizationHeaders } from './authorization.js';
import { createDispatcher } from './http.dispatchers.js';
import { StreamExchange } from './stream.exchange.js';
import { TextExchange } from './text.exchange.js';
import { DetachedClients } from './detached.clients.js';
import { createRequire } from 'node:module';

/** The connections to one server: a few shared ones for requests, and one for each watch. */
interface Connections {
  readonly requests: Dispatcher;
  readonly streams: Dispatcher;
  readonly detached: readonly DetachedClients[];
}

/**
 * The transport to a remote API server: keep-alive connections over HTTP or HTTPS, with the credentials of one connection info.
 *
 * It opens and reads nothing before the first request. Printing it shows no secrets.
 */
export class HttpTransport implements KubeTransport {
  readonly #info: ConnectionInfo;
  readonly #authorization: Authorization;
  #connections?: Promise<Connections>;
  #opened?: Connections;
  #target?: { readonly origin: string; readonly prefix: string; readonly userAgent: string };

  constructor(
    info: ConnectionInfo,
    private readonly settings: { readonly networking: NetworkingSettings; readonly watching: WatchingSettings },
    clock: Clock,
  ) {
    this.#info = info;
    this.#authorization = new Authorization(info, clock);
  }

  request(request: KubeRequest): Promise<KubeResponse> {
    const authorization = this.#authorization.headers;
    // Nearly all requests find everything in place: they need no promises of this step.
    return this.#opened && authorization ? this.exchange(this.#opened, authorization, request) : this.prepare(request);
  }

  /** Opens the connections and reads the credentials before a request. */
  private async prepare(request: KubeRequest): Promise<KubeResponse> {
    const connections = this.#opened ?? (await this.open());
    const authorization = this.#authorization.headers ?? (await this.#authorization.refresh());
    return this.exchange(connections, authorization, request);
  }

  private exchange(
    { requests, streams }: Connections,
    authorization: AuthorizationHeaders,
    request: KubeRequest,
  ): Promise<KubeResponse> {
    const { origin, prefix, userAgent } = (this.#target ??= this.resolveTarget());
    const options = {
      origin,
      path: prefix + request.path,
      method: request.method as Dispatcher.HttpMethod,
      headers: { ...request.headers, 'user-agent': userAgent, ...authorization },
      body: request.body,
    };
    if (request.streaming) return StreamExchange.run(streams, options, request);
    // The connections for streams have no limit, so that an urgent request never waits for others.
    return TextExchange.run(request.urgent ? streams : requests, options, request);
  }

  async close(): Promise<void> {
    const connections = await this.take();
    if (!connections) return;
    await Promise.all([connections.requests.destroy(), connections.streams.destroy()]);
    await Promise.all(connections.detached.map((detached) => detached.destroy()));
  }

  /** Accepts no more requests, and closes the connections after the requests in progress. */
  async retire(): Promise<void> {
    const connections = this.#opened ?? (await this.take());
    if (!connections) return;
    await Promise.all([connections.requests.close(), connections.streams.close()]);
    await Promise.all(connections.detached.map((detached) => detached.close()));
  }

  private async open(): Promise<Connections> {
    this.#connections ??= this.createConnections();
    try {
      this.#opened = await this.#connections;
      return this.#opened;
    } catch (error) {
      this.#connections = undefined;
      throw error;
    }
  }

  private async createConnections(): Promise<Connections> {
    const { networking, watching } = this.settings;
    const { connections, connectTimeout, requestTimeout, trustEnv } = networking;
    const watchTimeout = watching.connectTimeout ?? connectTimeout ?? requestTimeout;
    const [requests, streams] = await Promise.all([
      createDispatcher(this.#info, { connections, connectTimeout, silenceTimeout: requestTimeout, trustEnv }),
      createDispatcher(this.#info, { connections: null, connectTimeout: watchTimeout, silenceTimeout: null, trustEnv }),
    ]);
    return { requests, streams, detached: [new DetachedClients(requests), new DetachedClients(streams)] };
  }

  private take(): Promise<Connections | undefined> {
    // If files could not be read, there are no connections to close.
    return Promise.resolve(this.#connections).catch(() => undefined);
  }

  private resolveTarget(): { origin: string; prefix: string; userAgent: string } {
    const { origin, pathname } = new URL(this.#info.server);
    return { origin, prefix: pathname.replace(/\/+$/, ''), userAgent: createUserAgent() };
  }
}

/**
 * Creates the `User-Agent` of all requests: `nestjs-kopf/{version}`; without the version in bundled applications, which have no packages.
 */
export function createUserAgent(): string {
  try {
    const { version } = createRequire(import.meta.url)('nestjs-kopf/package.json') as { version: string };
    return `nestjs-kopf/${version}`;
  } catch {
    return 'nestjs-kopf';
  }
}
