import { once } from 'node:events';
import { createServer, type Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import { createServerIdentity } from '../../../libs/embedded-kube/src/access/certificate.authority.js';

/** A request to a webhook. */
export interface ReviewRequest {
  readonly uid: string;
  readonly name?: string;
  readonly namespace?: string;
  readonly operation: string;
  // Scenarios look into objects of many kinds.
  // eslint-disable-next-line @typescript-eslint/no-explicit-any
  readonly object: any;
  readonly [field: string]: unknown;
}

/** A whole HTTP answer instead of a review. */
export interface RawAnswer {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly text: string;
  /** Delays the response, in milliseconds. */
  readonly delay?: number;
}

/** Answers a review: gives the `response` without its uid, or the whole answer. */
export type WebhookBehaviour = (request: ReviewRequest, apiVersion: string) => { raw: RawAnswer } | object;

/** A received review. */
export interface ReceivedReview {
  readonly path: string;
  readonly query: string;
  readonly headers: Readonly<Record<string, unknown>>;
  readonly review: unknown;
}

/** A server of webhooks over HTTPS on the loopback address. */
export class WebhookServer {
  readonly received: ReceivedReview[] = [];
  private readonly behaviours = new Map<string, WebhookBehaviour>();

  private constructor(
    private readonly server: Server,
    readonly port: number,
    /** The authority of its certificate, in PEM. */
    readonly caCertificate: string,
  ) {}

  /** @param hosts the names and addresses of its certificate */
  static async start(hosts: readonly string[]): Promise<WebhookServer> {
    const { caCertificate, certificate, privateKey } = await createServerIdentity(Date.now(), hosts);
    const server = createServer({ cert: certificate, key: privateKey, keepAliveTimeout: 60_000 });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const webhooks = new WebhookServer(server, (server.address() as AddressInfo).port, caCertificate);
    server.on('request', (request, response) => {
      const chunks: Buffer[] = [];
      request.on('data', (chunk: Buffer) => chunks.push(chunk));
      request.on('end', () => {
        const { raw } = webhooks.answer(request.url ?? '/', request.headers, Buffer.concat(chunks).toString('utf8'));
        const send = (): void => {
          response.writeHead(raw.status ?? 200, { 'content-type': 'application/json', ...raw.headers });
          response.end(raw.text);
        };
        if (raw.delay) setTimeout(send, raw.delay);
        else send();
      });
    });
    return webhooks;
  }

  behave(path: string, behaviour: WebhookBehaviour): void {
    this.behaviours.set(path, behaviour);
  }

  /** The base64 of the authority, as configurations carry it. */
  get caBundle(): string {
    return Buffer.from(this.caCertificate).toString('base64');
  }

  async stop(): Promise<void> {
    this.server.close();
    this.server.closeAllConnections();
    if (this.server.listening) await once(this.server, 'close');
  }

  private answer(url: string, headers: ReceivedReview['headers'], body: string): { raw: RawAnswer } {
    const [path = '', query = ''] = url.split('?');
    const review = JSON.parse(body) as { apiVersion: string; request: ReviewRequest };
    this.received.push({ path, query, headers, review });
    const behaviour = this.behaviours.get(path);
    if (!behaviour) return { raw: { status: 404, headers: { 'content-type': 'text/plain' }, text: 'nothing here' } };
    const given = behaviour(review.request, review.apiVersion);
    if ('raw' in given) return given;
    const response = { uid: review.request.uid, ...given };
    return { raw: { text: JSON.stringify({ apiVersion: review.apiVersion, kind: 'AdmissionReview', response }) } };
  }
}
