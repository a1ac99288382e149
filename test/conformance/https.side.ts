import type { ClientRequest, IncomingHttpHeaders, IncomingMessage } from 'node:http';
import { Agent, request } from 'node:https';

const TIME_LIMIT = 30_000;

/** A request of a comparison. The body is sent as it is if it is a text, else as JSON. */
export interface HttpsRequest {
  readonly method: string;
  readonly path: string;
  /** Instead of, or besides, a bearer token, JSON, and the user agent `conformance/1`. */
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: unknown;
}

/** The whole answer to a request. */
export interface HttpsAnswer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
}

/** One of the servers that are compared, as a client without any knowledge of Kubernetes sees it. */
export class HttpsSide {
  private readonly agent = new Agent({ keepAlive: true, rejectUnauthorized: false, maxSockets: 16 });

  constructor(
    private readonly url: string,
    private readonly token: string,
  ) {}

  close(): void {
    this.agent.destroy();
  }

  /** Sends a request and reads the whole answer. */
  async send(sent: HttpsRequest): Promise<HttpsAnswer> {
    const response = await this.open(sent);
    const chunks: Buffer[] = [];
    for await (const chunk of response) chunks.push(chunk as Buffer);
    const text = Buffer.concat(chunks).toString('utf8');
    return { status: response.statusCode ?? 0, headers: response.headers, text };
  }

  /** Sends a request, and gives the answer as it begins. Fails after 30 seconds: no server may hang. */
  open({ method, path, headers, body }: HttpsRequest): Promise<IncomingMessage> {
    const text = body === undefined || typeof body === 'string' ? body : JSON.stringify(body);
    const all = {
      authorization: `Bearer ${this.token}`,
      accept: 'application/json',
      'user-agent': 'conformance/1',
      ...(text !== undefined && { 'content-type': 'application/json', 'content-length': Buffer.byteLength(text) }),
      ...headers,
    };
    return new Promise((resolve, reject) => {
      const options = { method, agent: this.agent, headers: all, timeout: TIME_LIMIT };
      const sent: ClientRequest = request(`${this.url}${path}`, options, resolve);
      sent.on('timeout', () => sent.destroy(new Error(`${this.url} does not answer ${method} ${path}`)));
      sent.on('error', reject).end(text);
    });
  }
}
