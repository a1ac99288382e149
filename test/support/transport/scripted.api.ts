import { KubeApi } from '../../../libs/kopf/src/client/api/api.client.js';
import { Vault } from '../../../libs/kopf/src/client/vault/vault.js';
import { NetworkingSettings } from '../../../libs/kopf/src/settings/client.settings.js';
import { type KubeRequest, type KubeResponse, type KubeTransport, SeededRandom } from 'kube-common';
import { VirtualClock } from '../../../libs/kopf/src/testing/time/virtual.clock.js';
import { MemoryLogger } from '../telemetry/memory.logger.js';

/** A client of a scripted API server on virtual time. */
export function scriptedApi(script: Script, settings: Partial<NetworkingSettings> = {}) {
  const clock = new VirtualClock();
  const random = new SeededRandom(1);
  const logger = new MemoryLogger();
  const transport = new ScriptedTransport(script);
  const info = { server: 'https://127.0.0.1:6443', transport, defaultNamespace: 'from-context' };
  const vault = new Vault({
    login: async () => new Map([['test', info]]),
    createTransport: () => transport,
    clock,
    random,
    logger,
  });
  const networking = Object.assign(new NetworkingSettings(), settings);
  const api = new KubeApi(vault, networking, clock, logger);
  return { api, vault, clock, random, logger, transport };
}

/** An answer of a scripted server; an error stands for a connection that fails before the response. */
export interface ScriptedAnswer {
  readonly status?: number;
  readonly headers?: Record<string, string>;
  readonly json?: unknown;
  readonly text?: string;
  readonly stream?: ScriptedStream;
}

export type Script = (request: KubeRequest, index: number) => ScriptedAnswer | Error | Promise<ScriptedAnswer | Error>;

/** A body that a test writes to while it is read. */
export class ScriptedStream implements AsyncIterable<Uint8Array> {
  readonly #chunks: Uint8Array[] = [];
  #end?: Error | true;
  #wake?: () => void;
  /** Whether the reader has gone away. */
  closed = false;

  /** Sends a watch event as a line. */
  event(type: string, object: unknown): this {
    return this.text(`${JSON.stringify({ type, object })}\n`);
  }

  text(text: string): this {
    return this.bytes(Buffer.from(text));
  }

  bytes(bytes: Uint8Array): this {
    this.#chunks.push(bytes);
    this.#wake?.();
    return this;
  }

  end(error?: Error): this {
    this.#end ??= error ?? true;
    this.#wake?.();
    return this;
  }

  async *[Symbol.asyncIterator](): AsyncIterator<Uint8Array> {
    try {
      for (;;) {
        while (this.#chunks.length) yield this.#chunks.shift()!;
        if (this.#end instanceof Error) throw this.#end;
        if (this.#end) return;
        await new Promise<void>((resolve) => (this.#wake = resolve));
      }
    } finally {
      this.closed = true;
    }
  }
}

/** An API server of a few lines, in the process; records what it is asked. */
export class ScriptedTransport implements KubeTransport {
  readonly requests: KubeRequest[] = [];
  closed = false;

  constructor(private readonly script: Script) {}

  /** The requests so far, as `METHOD path`. */
  get log(): string[] {
    return this.requests.map(({ method, path }) => `${method} ${path}`);
  }

  async request(request: KubeRequest): Promise<KubeResponse> {
    request.signal?.throwIfAborted();
    this.requests.push(request);
    const aborted = new Promise<never>((_, reject) => {
      request.signal?.addEventListener('abort', () => reject(request.signal!.reason), { once: true });
    });
    aborted.catch(() => {});
    const answer = await Promise.race([this.script(request, this.requests.length - 1), aborted]);
    if (answer instanceof Error) throw answer;
    const { status = 200, headers = {}, json, text = json === undefined ? '' : JSON.stringify(json), stream } = answer;
    request.signal?.addEventListener('abort', () => stream?.end(request.signal!.reason), { once: true });
    return {
      status,
      headers,
      text: async () => text,
      chunks: () => stream ?? new ScriptedStream().text(text).end(),
    };
  }

  async close(): Promise<void> {
    this.closed = true;
  }
}

/** A body of `kind: Status`, as API servers send it. */
export function status(
  code: number,
  reason: string,
  message: string,
  details?: Record<string, unknown>,
): ScriptedAnswer {
  return {
    status: code,
    json: { kind: 'Status', apiVersion: 'v1', status: 'Failure', code, reason, message, details },
  };
}

/** A connection error as Node raises it. */
export function systemError(code: string): Error {
  return Object.assign(new Error(`${code} 127.0.0.1:6443`), { code });
}
