import { SystemClock, type ConnectionInfo } from 'nestjs-kopf';
import { HttpTransport } from '../../../libs/kopf/src/client/http/http.transport.js';
import { NetworkingSettings, WatchingSettings } from '../../../libs/kopf/src/settings/client.settings.js';

/** The headers of a request as somebody else, and those alone. */
export type Headers = Record<string, string>;

/** One request, and what has to be in the answer. */
export type Case = readonly [
  title: string,
  headers: Headers,
  method: string,
  path: string,
  body: object | undefined,
  status: number,
  answer: unknown,
];

/** An answer with whatever is in its body. */
export interface Answer {
  readonly status: number;
  // eslint-disable-next-line @typescript-eslint/no-explicit-any
  readonly body: any;
}

/** Sends requests as they are, by the token of an administrator or of somebody else. */
export class AccessClient {
  private readonly transport: HttpTransport;

  constructor(private readonly credentials: ConnectionInfo) {
    const settings = { networking: new NetworkingSettings(), watching: new WatchingSettings() };
    this.transport = new HttpTransport(credentials, settings, new SystemClock());
  }

  async send(method: string, path: string, body?: object, headers: Headers = {}): Promise<Answer> {
    const { status, text } = await this.exchange(method, path, body, headers);
    return { status, body: text.startsWith('{') ? JSON.parse(text) : text };
  }

  /** Sends a request, and gives the warnings that come with the answer. */
  async warned(method: string, path: string, body: object): Promise<{ status: number; warnings: string[] }> {
    const { status, warning } = await this.exchange(method, path, body, {});
    const found = warning.matchAll(/299 - ("(?:[^"\\]|\\.)*")/g);
    return { status, warnings: [...found].map(([, text]) => JSON.parse(text!) as string) };
  }

  /** Sends a request with another token. */
  async sendWith(token: string, method: string, path: string, body?: object, headers?: Headers): Promise<Answer> {
    const own = new AccessClient({ ...this.credentials, token });
    try {
      return await own.send(method, path, body, headers);
    } finally {
      await own.close();
    }
  }

  /** Creates an object, which must succeed. */
  async create(path: string, body: object): Promise<Answer['body']> {
    const answer = await this.send('POST', path, body);
    expect(answer).toMatchObject({ status: 201 });
    return answer.body;
  }

  /** Sends the request of a case, and compares the answer. */
  async check([, headers, method, path, body, status, answer]: Case): Promise<void> {
    expect(await this.send(method, path, body, headers)).toMatchObject({ status, body: answer });
  }

  close(): Promise<void> {
    return this.transport.close();
  }

  private async exchange(method: string, path: string, body: object | undefined, headers: Headers) {
    const type = method === 'PATCH' ? 'application/merge-patch+json' : 'application/json';
    const response = await this.transport.request({
      method,
      path,
      headers: { accept: 'application/json', ...(body && { 'content-type': type }), ...headers },
      body: body && JSON.stringify(body),
    });
    return { status: response.status, text: await response.text(), warning: String(response.headers['warning'] ?? '') };
  }
}
