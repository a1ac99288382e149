import { setMaxListeners } from 'node:events';
import { detach, type KubeRequest, type KubeResponse, type KubeTransport } from 'kube-common';
import { EventLoopTurns } from '../common/event-loop.turns.js';
import type { ApiResponse, RequestHandler } from './api.request.js';

/** A transport to the server without sockets; requests without credentials are an administrator's. */
export class InProcessTransport implements KubeTransport {
  private readonly closing = new AbortController();
  private readonly turns = new EventLoopTurns();

  /**
   * @param token the administrator's
   * @param stopped aborted when the server stops
   */
  constructor(
    private readonly server: RequestHandler,
    private readonly token: string,
    private readonly stopped: AbortSignal,
  ) {}

  async request({ method, path, headers, body = '', signal }: KubeRequest): Promise<KubeResponse> {
    const signals = [this.closing.signal, this.stopped, ...(signal ? [signal] : [])];
    for (const each of signals) each.throwIfAborted();
    // One signal for very many requests is fine.
    setMaxListeners(0, ...signals);
    // A client that asks again and again, until something has happened, would otherwise keep it from happening.
    const pause = this.turns.step();
    if (pause) await pause;
    for (const each of pause ? signals : []) each.throwIfAborted();
    const authorization = headers['authorization'] ?? `Bearer ${this.token}`;
    const gone = new GoneListeners(signals);
    try {
      const onGone = (listener: () => void): void => gone.add(listener);
      const sent = { method, path, headers: { ...headers, authorization }, body, onGone };
      const response = await detach(() => this.server.handle(sent));
      if (!gone.reason) return new InProcessResponse(response, signals);
      if (typeof response.body !== 'string') await response.body.return?.();
      throw gone.reason.value;
    } catch (error) {
      throw gone.reason ? gone.reason.value : error;
    } finally {
      gone.release();
    }
  }

  close(): Promise<void> {
    this.closing.abort(new Error('The transport is closed'));
    return Promise.resolve();
  }
}

/** The listeners for the client's leaving during one request: the signal of a client can last for very many requests. */
class GoneListeners {
  private readonly listeners: (() => void)[] = [];

  constructor(private readonly signals: readonly AbortSignal[]) {}

  /** The reason of the client for leaving; absent while it waits. */
  get reason(): { readonly value: unknown } | undefined {
    const aborted = this.signals.find((each) => each.aborted);
    return aborted && { value: aborted.reason };
  }

  add(listener: () => void): void {
    if (this.reason) {
      listener();
      return;
    }
    this.listeners.push(listener);
    for (const signal of this.signals) signal.addEventListener('abort', listener, { once: true });
  }

  release(): void {
    for (const listener of this.listeners) {
      for (const signal of this.signals) signal.removeEventListener('abort', listener);
    }
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
