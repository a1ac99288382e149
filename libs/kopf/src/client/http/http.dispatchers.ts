import type { Socket } from 'node:net';
import { buildConnector, Pool, ProxyAgent, type Dispatcher } from 'undici';
import { detach } from 'kube-common';
import type { ConnectionInfo } from '../vault/connection-info.js';
import { findProxy } from './proxy.environment.js';
import { TlsMaterial } from './tls.material.js';

/** The options of connections. */
export interface DispatcherOptions {
  /** The most connections; `null` for no limit. */
  readonly connections: number | null;
  /** Seconds for a connection attempt; `null` for the operating system's limit. */
  readonly connectTimeout: number | null;
  /** Seconds after which a silent connection in use is closed; `null` for never. */
  readonly silenceTimeout: number | null;
  readonly trustEnv: boolean;
}

/**
 * The time for which an idle connection is kept, in milliseconds. It is shorter than in servers and load balancers, so that none of them
 * closes a connection in which a request has just been sent.
 */
const KEEP_ALIVE_TIMEOUT = 30_000;

/**
 * The time after which a silent connection is probed, in milliseconds. It is shorter than the time after which load balancers forget a
 * connection.
 */
const PROBE_DELAY = 30_000;

const HTTPS_PORT = '443';

/**
 * Creates the connections to one server, directly or through a proxy.
 *
 * The time limits of requests are enforced by the caller, with the caller's clock; those here only free abandoned connections.
 *
 * @throws CredentialsError if a file cannot be read.
 */
export async function createDispatcher(info: ConnectionInfo, options: DispatcherOptions): Promise<Dispatcher> {
  const material = new TlsMaterial(info);
  const tls = { ...(await material.load()), ...connectorOptions(options) };
  const connect = createConnector(material, options);
  const silence = (options.silenceTimeout ?? 0) * 1000;
  const common = {
    connections: options.connections,
    pipelining: 1,
    headersTimeout: silence,
    bodyTimeout: silence,
    keepAliveTimeout: KEEP_ALIVE_TIMEOUT,
    connect,
  };
  const factory = (origin: string | URL, pool: object): Pool => createPool(origin, pool, connect);
  const proxied = { ...common, requestTls: tls, factory };
  const server = new URL(info.server);
  const isEnvironmentTrusted = info.trustEnv ?? options.trustEnv;
  const uri = info.proxyUrl ?? (isEnvironmentTrusted ? findProxy(server, process.env) : undefined);
  return uri === undefined ? new Pool(server.origin, common) : new ProxyAgent({ ...proxied, uri });
}

/** Connects with the certificates that are in the files at the time of connecting, as they are replaced before they expire. */
function createConnector(material: TlsMaterial, options: DispatcherOptions): buildConnector.connector {
  let version: string | undefined;
  let connector: buildConnector.connector;
  const refresh = async (): Promise<buildConnector.connector> => {
    const latest = await material.version();
    if (latest !== version) {
      connector = buildConnector({ ...(await material.load()), ...connectorOptions(options) });
      version = latest;
    }
    return connector;
  };
  const open: buildConnector.connector = (target, callback) => {
    refresh().then(
      (connect) => {
        try {
          connect(target, callback);
        } catch (error) {
          // Certificates and keys are parsed only here. While they are being replaced, they may not match.
          callback(error as Error, null);
        }
      },
      (error: Error) => callback(error, null),
    );
  };
  // Detached, as a connection serves many requests and not only the one that has opened it.
  return (target, callback) => detach(() => open(target, callback));
}

/**
 * Creates the pool for one origin, whose connections may lead through a tunnel.
 *
 * Its requests fail if the proxy closes the connection; otherwise undici would retry endlessly without a pause.
 *
 * @param secure adds TLS inside the tunnel.
 */
function createPool(origin: string | URL, options: object, secure: buildConnector.connector): Pool {
  const { connect: dig } = options as Pool.Options;
  if (typeof dig !== 'function' || dig === secure) return new Pool(origin, options);
  const connect: buildConnector.connector = (target, callback) =>
    dig(toTunnel(target), (...[error, socket]) => {
      if (error)
        callback(isClosed(error) ? new Error('The proxy has closed the connection', { cause: error }) : error, null);
      else if (target.protocol === 'https:') secure({ ...target, httpSocket: socket! as Socket }, callback);
      else callback(null, socket!);
    });
  return new Pool(origin, { ...options, connect });
}

/** Returns the target of the tunnel itself, without TLS. */
function toTunnel(target: buildConnector.Options): buildConnector.Options {
  if (target.protocol !== 'https:') return target;
  const host = target.port ? target.host : `${target.host ?? target.hostname}:${HTTPS_PORT}`;
  return { ...target, protocol: 'http:', host, port: target.port || HTTPS_PORT };
}

function isClosed(error: Error): boolean {
  return (error as NodeJS.ErrnoException).code === 'UND_ERR_SOCKET';
}

function connectorOptions({ connectTimeout }: DispatcherOptions) {
  return { timeout: (connectTimeout ?? 0) * 1000, keepAlive: true, keepAliveInitialDelay: PROBE_DELAY };
}
