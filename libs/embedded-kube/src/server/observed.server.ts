import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import type { Clock } from 'kube-common';
import type { IdentityFactory } from '../machinery/identity.factory.js';
import { type ApiRequest, type ApiResponse, type RequestHandler, singleChunk } from './api.request.js';
import { METRICS_TYPE } from './health.checks.js';
import { parseRequest } from './request.info.js';
import type { RequestMetrics } from './request.metrics.js';

/** The length of answers from which on they are compressed for clients that accept it, in characters; as on the real server. */
const COMPRESSED_FROM = 128 * 1024;

const compress = promisify(gzip);

/**
 * The outer layer of answers over HTTPS, the same for all requests: `Audit-Id`, `Cache-Control`, compression, and metrics. Requests from
 * the same process do without it, as no client would read these headers.
 */
export class ObservedServer implements RequestHandler {
  constructor(
    private readonly server: RequestHandler,
    private readonly metrics: RequestMetrics,
    private readonly identities: IdentityFactory,
    private readonly clock: Clock,
  ) {}

  /** Answers a request. @throws Error if the connection is to be closed without an answer */
  async handle(request: ApiRequest): Promise<ApiResponse> {
    const { method, path, headers } = request;
    const begin = this.clock.now();
    let response = await this.server.handle(request);
    const info = parseRequest(method, path);
    // The server does not know the path, but has checked whether the client may read it.
    if (info.path === '/metrics' && response.status === 404) {
      response = { status: 200, headers: { 'content-type': METRICS_TYPE }, body: await this.metrics.text() };
    }
    const type = response.headers['content-type'];
    const isPlain = type?.startsWith('text/plain') === true;
    // Paths that there are not would be series without end.
    if (response.status !== 404 || !isPlain) {
      this.metrics.count(info, headers['content-type'], response.status, (this.clock.now() - begin) / 1000);
      if (info.verb === 'watch' && response.status === 200) request.onGone?.(this.metrics.begin(info));
    }
    const added = {
      ...response.headers,
      'audit-id': headers['audit-id'] || this.identities.uid(),
      'cache-control': response.headers['cache-control'] ?? 'no-cache, private',
      ...(isPlain && { 'x-content-type-options': 'nosniff' }),
    };
    const observed = { ...response, headers: added };
    return isCompressible(request, response) ? compressed(observed, response.body as string) : observed;
  }
}

function isCompressible({ method, headers }: ApiRequest, { status, body }: ApiResponse): boolean {
  if (typeof body !== 'string' || body.length <= COMPRESSED_FROM || status !== 200 || method !== 'GET') return false;
  return (headers['accept-encoding'] ?? '').split(',').some((each) => each.split(';')[0]!.trim() === 'gzip');
}

/** Compresses in another thread, so that other requests are served at the same time. */
async function compressed(response: ApiResponse, text: string): Promise<ApiResponse> {
  const bytes = await compress(text, { level: 1 });
  const vary = response.headers['vary'];
  const headers = {
    ...response.headers,
    'content-encoding': 'gzip',
    'content-length': String(bytes.length),
    vary: vary === undefined ? 'Accept-Encoding' : `${vary}, Accept-Encoding`,
  };
  return { ...response, headers, body: singleChunk(bytes) };
}
