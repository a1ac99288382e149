import { VirtualClock } from '../../../test/support/time/virtual.clock.js';
import { EmbeddedKube } from './embedded-kube.js';
import type { EmbeddedKubeOptions } from './embedded-kube.options.js';
import type { KubeObject } from './resources/kube-object.js';
import { type KubeResponse, type KubeTransport, SeededRandom } from 'kube-common';

export const MERGE_PATCH = { 'content-type': 'application/merge-patch+json' };
export const JSON_PATCH = { 'content-type': 'application/json-patch+json' };
export const STRATEGIC_PATCH = { 'content-type': 'application/strategic-merge-patch+json' };

/** The definition that the specs use: validated, with a status, a default and a free part. */
export const WIDGETS = {
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: 'widgets.example.com' },
  spec: {
    group: 'example.com',
    scope: 'Namespaced',
    names: { plural: 'widgets', singular: 'widget', kind: 'Widget', shortNames: ['wd'], categories: ['all'] },
    versions: [
      {
        name: 'v1',
        served: true,
        storage: true,
        subresources: { status: {} },
        additionalPrinterColumns: [{ name: 'Size', type: 'string', jsonPath: '.spec.size' }],
        schema: {
          openAPIV3Schema: {
            type: 'object',
            properties: {
              spec: {
                type: 'object',
                required: ['size'],
                properties: {
                  size: { type: 'string', minLength: 2 },
                  count: { type: 'integer', maximum: 5 },
                  color: { type: 'string', default: 'red' },
                  free: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
                },
              },
              status: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
            },
          },
        },
      },
    ],
  },
};
export const WIDGETS_PATH = '/apis/example.com/v1/namespaces/default/widgets';
export const DEFINITIONS_PATH = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';

/** The answer to a request. */
export interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly text: string;
  /** The body as JSON; loose, as specs look into many kinds of it. */
  // eslint-disable-next-line @typescript-eslint/no-explicit-any
  readonly body: any;
}

/** A line of a watch. */
export interface WatchLine {
  readonly type: string;
  readonly object: KubeObject & { readonly code?: number; readonly message?: string; readonly reason?: string };
}

/** A server on virtual time, with shortcuts for requests. */
export class Harness {
  private constructor(
    readonly kube: EmbeddedKube,
    readonly clock: VirtualClock,
    readonly transport: KubeTransport,
  ) {}

  static async start(options: EmbeddedKubeOptions = {}): Promise<Harness> {
    const clock = new VirtualClock();
    const kube = await EmbeddedKube.start({ port: false, clock, random: new SeededRandom(1), ...options });
    return new Harness(kube, clock, kube.transport());
  }

  async request(method: string, path: string, body?: unknown, headers: Record<string, string> = {}): Promise<Answer> {
    const text = body === undefined ? undefined : typeof body === 'string' ? body : JSON.stringify(body);
    const response = await this.transport.request({
      method,
      path,
      headers: { ...(text !== undefined && { 'content-type': 'application/json' }), ...headers },
      ...(text !== undefined && { body: text }),
    });
    const answer = await response.text();
    const isJson = /json/.test(response.headers['content-type'] ?? '');
    const parsed: unknown = isJson && !answer.includes('\n{') ? JSON.parse(answer) : undefined;
    return { status: response.status, headers: response.headers, text: answer, body: parsed };
  }

  get = (path: string, headers?: Record<string, string>): Promise<Answer> =>
    this.request('GET', path, undefined, headers);
  post = (path: string, body: unknown): Promise<Answer> => this.request('POST', path, body);
  put = (path: string, body: unknown): Promise<Answer> => this.request('PUT', path, body);
  patch = (path: string, body: unknown, headers = MERGE_PATCH): Promise<Answer> =>
    this.request('PATCH', path, body, headers);
  delete = (path: string, body?: unknown): Promise<Answer> => this.request('DELETE', path, body);

  async watch(path: string, headers: Record<string, string> = {}): Promise<WatchReader> {
    const response = await this.transport.request({ method: 'GET', path, headers, streaming: true });
    return new WatchReader(response);
  }
}

export const widget = (name: string, spec: unknown = { size: '1G' }, metadata: object = {}) => ({
  apiVersion: 'example.com/v1',
  kind: 'Widget',
  metadata: { name, ...metadata },
  spec,
});

/** A reader of the lines of a watch. */
export class WatchReader {
  readonly status: number;
  private readonly lines: string[] = [];
  private readonly chunks: AsyncIterator<Uint8Array>;
  private rest = '';

  constructor(readonly response: KubeResponse) {
    this.status = response.status;
    this.chunks = response.chunks()[Symbol.asyncIterator]();
  }

  /** Returns the next line; `undefined` at the end. */
  async next(): Promise<WatchLine | undefined> {
    while (this.lines.length === 0) {
      const chunk = await this.chunks.next();
      if (chunk.done) return undefined;
      const parts = (this.rest + Buffer.from(chunk.value).toString()).split('\n');
      this.rest = parts.pop()!;
      this.lines.push(...parts);
    }
    return JSON.parse(this.lines.shift()!) as WatchLine;
  }

  async take(count: number): Promise<WatchLine[]> {
    const taken: WatchLine[] = [];
    for (let index = 0; index < count; index += 1) taken.push((await this.next())!);
    return taken;
  }

  /** Reads the next lines. @returns their types and names */
  async summary(count: number): Promise<string[]> {
    return (await this.take(count)).map(({ type, object }) => `${type} ${object.metadata.name}`);
  }

  async close(): Promise<void> {
    await this.chunks.return?.();
  }
}
