// One of the two servers: requests and watches over HTTPS.
import type { ClientRequest, IncomingMessage } from 'node:http';
import { Agent, request } from 'node:https';
import type { Answer } from './answer.normaliser.js';

const TIME_LIMIT = 30_000;

/** A request, with everything filled in. */
export interface SideRequest {
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: unknown;
}

/** An open watch. */
export interface SideWatch {
  /** The events so far; a text that is no JSON stands as it is. */
  readonly events: unknown[];
  /** Resolves when there are so many events, when the watch ends, or after a while. */
  until(count: number): Promise<void>;
  close(): void;
}

/** One of the servers. */
export class ApiSide {
  private readonly agent = new Agent({ keepAlive: true, rejectUnauthorized: false, maxSockets: 16 });

  constructor(
    readonly name: 'real' | 'embedded',
    private readonly url: string,
    private readonly token: string,
  ) {}

  close(): void {
    this.agent.destroy();
  }

  /** Sends a request and reads the whole answer. Fails after 30 seconds: no server may hang. */
  async send(sent: SideRequest): Promise<Answer> {
    const response = await this.open(sent);
    const chunks: Buffer[] = [];
    for await (const chunk of response) chunks.push(chunk as Buffer);
    const text = Buffer.concat(chunks).toString('utf8');
    return {
      code: response.statusCode ?? 0,
      type: response.headers['content-type'],
      warnings: response.headers['warning'],
      body: parsed(text),
    };
  }

  /** Opens a watch; one that is rejected has the answer as its only event. */
  async watch(sent: SideRequest): Promise<SideWatch> {
    const response = await this.open(sent);
    const events: unknown[] = [];
    let rest = '';
    let ended = false;
    let wake = (): void => undefined;
    response.setEncoding('utf8');
    response.on('data', (chunk: string) => {
      const lines = `${rest}${chunk}`.split('\n');
      rest = lines.pop()!;
      events.push(...lines.map(parsed));
      wake();
    });
    const end = (): void => {
      if (rest) events.push(parsed(rest));
      rest = '';
      ended = true;
      wake();
    };
    response.on('end', end).on('error', end).on('close', end);
    const until = async (count: number): Promise<void> => {
      const limit = performance.now() + 3000;
      while (events.length < count && !ended && performance.now() < limit) {
        await new Promise<void>((resolve) => {
          const timer = setTimeout(resolve, limit - performance.now());
          wake = () => {
            clearTimeout(timer);
            resolve();
          };
        });
      }
    };
    if (response.statusCode !== 200) {
      await until(Infinity);
      events.unshift({ code: response.statusCode });
    }
    return { events, until, close: () => response.destroy() };
  }

  private open({ method, path, headers, body }: SideRequest): Promise<IncomingMessage> {
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
      sent.on('timeout', () => sent.destroy(new Error(`${this.name} does not answer ${method} ${path}`)));
      sent.on('error', reject).end(text);
    });
  }
}

function parsed(text: string): unknown {
  try {
    return text === '' ? undefined : (JSON.parse(text) as unknown);
  } catch {
    return text;
  }
}
