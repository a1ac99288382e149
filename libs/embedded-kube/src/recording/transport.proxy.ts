import { kubeconfigText } from '../access/kubeconfig.js';
import { type Clock, type KubeTransport, type Random, SystemClock, SystemRandom } from 'kube-common';
import { type Logger, StderrLogger } from '../common/logger.js';
import { unauthorized, unsupportedMediaType } from '../errors/status.errors.js';
import type { StatusError } from '../errors/status.error.js';
import { IdentityFactory } from '../machinery/identity.factory.js';
import type { ApiRequest, ApiResponse, RequestHandler } from '../server/api.request.js';
import { HttpsListener } from '../server/https.listener.js';
import { isStreaming } from '../server/request.info.js';

/** The options of a proxy. */
export interface TransportProxyOptions {
  /** The HTTPS port; 0 takes a free one. @default 0 */
  readonly port?: number;
  /** @default the machine's time */
  readonly clock?: Clock;
  /** @default the machine's randomness */
  readonly random?: Random;
  /** @default warnings and errors on stderr */
  readonly logger?: Logger;
}

const HOST = '127.0.0.1';

/**
 * A transport served over HTTPS on this machine, for clients in other processes: a recorder, or a replay.
 *
 * @example
 * const proxy = await TransportProxy.start(recorder);
 * writeFileSync('kubeconfig', proxy.kubeconfig);   // kubectl --kubeconfig kubeconfig get pods
 * await proxy.stop();
 */
export class TransportProxy {
  private constructor(
    /** A kubeconfig for the proxy, with a token that only its clients have. */
    readonly kubeconfig: string,
    private readonly listener: HttpsListener,
    private readonly transport: KubeTransport,
  ) {}

  /** Starts a proxy. @param transport closed with the proxy. @throws Error if the port is taken */
  static async start(transport: KubeTransport, options: TransportProxyOptions = {}): Promise<TransportProxy> {
    const { clock = new SystemClock(), random = new SystemRandom(), logger = new StderrLogger() } = options;
    const token = new IdentityFactory(random).token();
    // The library of certificates takes long to load, and most programs that import the package have no proxy.
    const { createServerIdentity } = await import('../access/certificate.authority.js');
    const identity = await createServerIdentity(clock.now(), [HOST, 'localhost']);
    const listener = new HttpsListener(new TransportHandler(transport, token), logger);
    const port = await listener.listen(HOST, options.port ?? 0, identity);
    const { caCertificate } = identity;
    const kubeconfig = kubeconfigText({ url: `https://${HOST}:${port}`, token, caCertificate });
    return new TransportProxy(kubeconfig, listener, transport);
  }

  async stop(): Promise<void> {
    await this.listener.close();
    await this.transport.close();
  }
}

/** A handler that passes requests with the right token over a transport. */
class TransportHandler implements RequestHandler {
  constructor(
    private readonly transport: KubeTransport,
    private readonly token: string,
  ) {}

  async handle({ method, path, headers, body, onGone }: ApiRequest): Promise<ApiResponse> {
    if (headers['authorization'] !== `Bearer ${this.token}`) return failed(unauthorized());
    if (typeof body !== 'string') return failed(unsupportedMediaType(['application/json', 'application/yaml']));
    const gone = new AbortController();
    onGone?.(() => gone.abort(new Error('The client has left')));
    const streaming = isStreaming(method, path);
    const sent = Object.entries(headers).filter((entry): entry is [string, string] => entry[1] !== undefined);
    const response = await this.transport.request({
      method,
      path,
      headers: Object.fromEntries(sent),
      body,
      streaming,
      signal: gone.signal,
    });
    const { 'transfer-encoding': _, connection: __, 'content-length': ___, ...kept } = response.headers;
    const answer = streaming ? response.chunks()[Symbol.asyncIterator]() : await response.text();
    return { status: response.status, headers: kept, body: answer as ApiResponse['body'] };
  }
}

function failed(error: StatusError): ApiResponse {
  const headers = { 'content-type': 'application/json' };
  return { status: error.code, headers, body: JSON.stringify(error.toStatus()) };
}
