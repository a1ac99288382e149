import type { ConnectionInfo } from 'nestjs-kopf';
import type { TestCluster } from '../test.cluster.js';

export const JSON_TYPE = 'application/json';
export const MERGE_PATCH = 'application/merge-patch+json';
export const APPLY_PATCH = 'application/apply-patch+yaml';
export const CONFIG_MAPS = '/api/v1/namespaces/default/configmaps';

/** An answer of an API server. */
export interface Answer {
  readonly status: number;
  readonly text: string;
  readonly headers: Readonly<Record<string, string>>;
  /** The body as JSON, `undefined` if it is none; loose, as tests look into many kinds of it. */
  // eslint-disable-next-line @typescript-eslint/no-explicit-any
  readonly body: any;
}

/** The types of what is sent and of what is to be answered. */
export interface MediaTypes {
  readonly type?: string;
  readonly accept?: string;
}

/** Asks an API server, embedded or real, and gives its answers as they are. */
export class ApiConversation {
  private count = 0;

  private constructor(private readonly cluster: TestCluster) {}

  static async start(startCluster: () => Promise<TestCluster>): Promise<ApiConversation> {
    return new ApiConversation(await startCluster());
  }

  /** A name that no other object of the tests has. */
  name(prefix = 'object'): string {
    this.count += 1;
    return `${prefix}-${this.count}`;
  }

  /** @param body sent as it is if it is a text, else as JSON */
  async send(method: string, path: string, body?: unknown, types: MediaTypes = {}): Promise<Answer> {
    const { type = JSON_TYPE, accept = JSON_TYPE } = types;
    const sent = body === undefined ? '' : typeof body === 'string' ? body : JSON.stringify(body);
    const answer = await this.cluster.user.exchange(method, path, sent, type, accept);
    const isJson = /json/.test(answer.headers['content-type'] ?? '');
    return { ...answer, body: isJson && !/}\n{/.test(answer.text) ? JSON.parse(answer.text) : undefined };
  }

  get = (path: string, accept?: string): Promise<Answer> => this.send('GET', path, undefined, { accept });
  post = (path: string, body: unknown): Promise<Answer> => this.send('POST', path, body);
  put = (path: string, body: unknown): Promise<Answer> => this.send('PUT', path, body);
  patch = (path: string, body: unknown, type = MERGE_PATCH): Promise<Answer> =>
    this.send('PATCH', path, body, { type });
  delete = (path: string, body?: unknown): Promise<Answer> => this.send('DELETE', path, body);

  /** Applies a configuration on the server. */
  apply = (path: string, body: unknown): Promise<Answer> => this.patch(path, body, APPLY_PATCH);

  /** The first lines of a watch, parsed; fewer if it ends earlier. */
  // eslint-disable-next-line @typescript-eslint/no-explicit-any
  async watch(path: string, count: number, accept?: string): Promise<any[]> {
    const events: unknown[] = [];
    for await (const line of this.cluster.user.lines(path, accept)) {
      events.push(JSON.parse(line));
      if (events.length === count) break;
    }
    return events;
  }

  /** The address and the token of an administrator, for requests of another form. */
  get credentials(): ConnectionInfo {
    return this.cluster.credentials;
  }

  stop(): Promise<void> {
    return this.cluster.stop();
  }
}
