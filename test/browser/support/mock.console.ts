import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { readFileSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { extname, join } from 'node:path';
import type {
  ConsoleActionRequest,
  ConsoleLog,
  ConsoleMessage,
  ContainerLog,
  InspectedObject,
  InspectedObjectDetails,
} from '../../../libs/kopf-console/src/console.api.js';
import { createAnswers, createDetails, createObjects } from './mock.answers.js';

/** The folder that the page is built into before the tests. */
export const PAGE_FOLDER = join(import.meta.dirname, '../../../libs/kopf-console/dist/console-page');

/** The policy that the module sends with the page, and a stricter one for markup. */
const POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self' data:; frame-ancestors 'none'; " +
  "base-uri 'none'; form-action 'none'; require-trusted-types-for 'script'";

const TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
};

/**
 * A server that answers as the console does, from memory: for states that a real operator would have to be brought into first, such as
 * 100,000 objects or names that no API server accepts.
 */
export class MockConsole {
  readonly posted: { readonly action: string; readonly request: ConsoleActionRequest }[] = [];
  readonly asked: string[] = [];
  objects: InspectedObject[];
  /** Overrides of answers, by their paths: `now`, `objects/shops.example.com/ns/a`. */
  readonly overrides = new Map<string, unknown>();
  /** Keeps back the streams, as a proxy does that waits for the end of an answer. */
  isBuffering = false;
  /** Streams that were begun. */
  begun = 0;
  private readonly streams = new Map<ServerResponse, string>();
  private readonly server: Server;
  private answers: Readonly<Record<string, unknown>>;

  private constructor(
    private readonly prefix: string,
    readonly now: number,
    count: number,
  ) {
    this.objects = createObjects(count, now);
    this.answers = createAnswers(now, this.objects);
    this.server = createServer((request, response) => void this.handle(request, response));
  }

  /** Starts a server on a free port. */
  static async start({ prefix = '/ops/kopf', count = 240, now = Date.now(), port = 0 } = {}): Promise<MockConsole> {
    const mock = new MockConsole(prefix, now, count);
    await new Promise<void>((resolve) => mock.server.listen(port, '127.0.0.1', resolve));
    return mock;
  }

  get url(): string {
    const { port } = this.server.address() as AddressInfo;
    return `http://127.0.0.1:${port}${this.prefix}/`;
  }

  /** Sends a message to all streams. */
  send(message: ConsoleMessage): void {
    for (const stream of this.streams.keys()) stream.write(`data: ${JSON.stringify(message)}\n\n`);
  }

  /** Lists the topics of all streams. */
  openTopics(): readonly string[] {
    return [...this.streams.values()];
  }

  /** Ends all streams, as a restart of the operator does. */
  cut(): void {
    for (const stream of this.streams.keys()) stream.destroy();
    this.streams.clear();
  }

  /** Stops to listen, and ends all connections. */
  async close(): Promise<void> {
    this.cut();
    this.server.closeAllConnections();
    await new Promise((resolve) => this.server.close(resolve));
  }

  private async handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const url = new URL(request.url ?? '/', 'http://localhost');
    response.setHeader('x-content-type-options', 'nosniff');
    if (!url.pathname.startsWith(`${this.prefix}/`)) return void response.writeHead(404).end();
    const path = url.pathname.slice(this.prefix.length + 1);
    if (path.startsWith('api/stream')) return this.openStream(url, request, response);
    if (path.startsWith('api/actions/')) return this.act(path.slice('api/actions/'.length), request, response);
    if (path.startsWith('api/')) return this.answer(decodeURIComponent(path.slice('api/'.length)), url, response);
    if (path.startsWith('assets/')) return serve(response, path);
    response.setHeader('content-security-policy', POLICY);
    const depth = path.split('/').length - 1;
    const page = readFileSync(join(PAGE_FOLDER, 'index.html'), 'utf8');
    response.setHeader('content-type', TYPES['.html']);
    response.end(page.replaceAll('{{base}}', depth === 0 ? './' : '../'.repeat(depth)));
  }

  private openStream(url: URL, request: IncomingMessage, response: ServerResponse): void {
    this.begun += 1;
    if (this.isBuffering) return;
    response.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-store' });
    // The first message of a stream tells when the log began.
    const { beganAt } = this.answers.log as ConsoleLog;
    response.write(`data: ${JSON.stringify({ type: 'log', beganAt, events: [] } satisfies ConsoleMessage)}\n\n`);
    this.streams.set(response, url.searchParams.get('topics') ?? '');
    request.on('close', () => this.streams.delete(response));
  }

  private answer(path: string, url: URL, response: ServerResponse): void {
    this.asked.push(`${path}${url.search}`);
    const body = this.overrides.get(path) ?? this.find(path, url.searchParams);
    const status = body === undefined ? 404 : 200;
    response.writeHead(status, { 'content-type': 'application/json' });
    response.end(JSON.stringify(body ?? { status, code: 'NOT_FOUND', message: `There is no ${path}.` }));
  }

  private find(path: string, query: URLSearchParams): unknown {
    if (path === 'objects') return this.list(query);
    const [, , , name] = /^(objects)\/([^/]+)\/[^/]+\/(.*)$/.exec(path) ?? [];
    if (name === undefined) return Object.hasOwn(this.answers, path) ? this.answers[path] : undefined;
    const object = this.objects.find((each) => each.name === name);
    return object && (createDetails(object, this.now) satisfies InspectedObjectDetails);
  }

  private list(query: URLSearchParams) {
    const [phase, search, sort] = ['phase', 'search', 'sort'].map((name) => query.get(name));
    let found: readonly InspectedObject[] = this.objects;
    if (phase) found = found.filter((each) => each.phase === phase);
    if (search) found = found.filter(({ namespace, name }) => `${namespace}/${name}`.includes(search));
    if (sort === '-retries') found = [...found].sort((a, b) => b.retries - a.retries);
    const offset = Number(query.get('offset') ?? 0);
    return { total: found.length, offset, items: found.slice(offset, offset + Number(query.get('limit') ?? 100)) };
  }

  private async act(action: string, message: IncomingMessage, response: ServerResponse): Promise<void> {
    let text = '';
    for await (const chunk of message) text += String(chunk);
    const isSafe = message.headers['x-kopf-console'] === '1' && message.headers['content-type'] === 'application/json';
    const request = JSON.parse(text) as ConsoleActionRequest;
    this.posted.push({ action, request });
    response.writeHead(isSafe ? 200 : 403, { 'content-type': 'application/json' });
    const dryRun = request.dryRun ?? true;
    const patch =
      action === 'pause' ? undefined : { metadata: { annotations: { 'kopf.zalando.org/create': '{"retries":3}' } } };
    const result = action === 'logs' ? createLogs() : undefined;
    const words = `${request.handler ?? 'The operator'}: ${action} by ada@example.com`;
    response.end(
      JSON.stringify({
        dryRun,
        done: !dryRun,
        text: dryRun ? `Would be done: ${words}.` : `Done: ${words}.`,
        ...(result ? { result } : { patch }),
      }),
    );
  }
}

function createLogs(): readonly ContainerLog[] {
  const text = `${Array.from({ length: 60 }, (_, index) => `line ${index} of a log that is <b>not</b> markup`).join('\n')}\n`;
  return [
    { pod: 'shop-7d9f8-x2v4q', container: 'web', text },
    { pod: 'shop-7d9f8-x2v4q', container: 'proxy', problem: 'The operator may not read logs of pods.' },
  ];
}

function serve(response: ServerResponse, path: string): void {
  const file = /^assets\/[\w.-]+$/.test(path) ? join(PAGE_FOLDER, path) : undefined;
  try {
    const content = readFileSync(file ?? '');
    response.setHeader('content-type', TYPES[extname(path)] ?? 'application/octet-stream');
    response.end(content);
  } catch {
    response.writeHead(404).end();
  }
}
