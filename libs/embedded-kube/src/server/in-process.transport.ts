import type { KubeRequest, KubeResponse, KubeTransport } from '../interfaces/kube-transport.js';
import type { ApiResponse } from './api.request.js';
import type { ApiServer } from './api.server.js';

/** A way to the server without sockets; requests that carry no credentials of their own are an administrator's. */
export class InProcessTransport implements KubeTransport {
  private readonly closing = new AbortController();

  /**
   * @param token the administrator's
   * @param stopped aborted when the server stops
   */
  constructor(
    private readonly server: ApiServer,
    private readonly token: string,
    private readonly stopped: AbortSignal,
  ) {}

  async request({ method, path, headers, body = '', signal }: KubeRequest): Promise<KubeResponse> {
    const signals = [this.closing.signal, this.stopped, ...(signal ? [signal] : [])];
    for (const each of signals) each.throwIfAborted();
    const authorization = headers['authorization'] ?? `Bearer ${this.token}`;
    const response = await this.server.handle({ method, path, headers: { ...headers, authorization }, body });
    const aborted = signals.find((each) => each.aborted);
    if (aborted) {
      if (typeof response.body !== 'string') await response.body.return?.();
      throw aborted.reason;
    }
    return new InProcessResponse(response, signals);
  }

  close(): Promise<void> {
    this.closing.abort(new Error('The transport is closed'));
    return Promise.resolve();
  }
}

class InProcessResponse implements KubeResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;

  constructor(
    private readonly response: ApiResponse,
    private readonly signals: readonly AbortSignal[],
  ) {
    this.status = response.status;
    this.headers = response.headers;
  }

  async text(): Promise<string> {
    const { body } = this.response;
    if (typeof body === 'string') return body;
    const chunks: Uint8Array[] = [];
    for await (const chunk of this.chunks()) chunks.push(chunk);
    return Buffer.concat(chunks).toString('utf8');
  }

  async *chunks(): AsyncGenerator<Uint8Array> {
    const { body } = this.response;
    if (typeof body === 'string') {
      if (body) yield Buffer.from(body);
      return;
    }
    const end = (): void => void body.return?.();
    for (const signal of this.signals) signal.addEventListener('abort', end, { once: true });
    try {
      for (let chunk = await body.next(); !chunk.done; chunk = await body.next()) yield chunk.value;
      const aborted = this.signals.find((signal) => signal.aborted);
      if (aborted) throw aborted.reason;
    } finally {
      for (const signal of this.signals) signal.removeEventListener('abort', end);
      await body.return?.();
    }
  }
}
