import type { ServerResponse } from 'node:http';
import { type Clock, stringifyJson } from 'kube-common';
import type { KopfLogger } from 'nestjs-kopf';
import type { OperatorInspection, OperatorOverview } from 'nestjs-kopf/inspection';
import { parseCount, parseObjectQuery } from 'nestjs-kopf/tooling';
import type { ConsoleLog, ConsoleOverview, InspectionTopic } from '../console.api.js';
import { ConsoleError, toProblem } from '../console.error.js';
import type { ConsoleOperator } from '../console.operator.js';
import type { ActionGate } from './action.gate.js';
import { SAFE_HEADERS } from './console.headers.js';
import { createErrorPage, wantsPage } from './error.page.js';
import { headerOf, splitPath, type ConsoleRequest } from './console.request.js';
import { baseOf, PageFiles, SLASH_PAGE, SLASH_QUERY, SLASH_SCRIPT } from './page.files.js';
import { AnswerCompression } from './answer.compression.js';
import { checkHost } from './request.host.js';
import { checkOrigin } from './request.origin.js';
import { CHALLENGE, type SignIn } from './sign.in.js';
import { StreamHub, TOPICS } from './stream.hub.js';

/** The dependencies of the server. */
export interface ConsoleServerOptions {
  /** The operators that are shown; the first is shown if none is asked for. */
  readonly operators: readonly ConsoleOperator[];
  readonly gate: ActionGate;
  /** The sign-in that all requests need. @default none */
  readonly signIn?: SignIn;
  readonly clock: Clock;
  readonly logger: KopfLogger;
  /** The version of nestjs-kopf. */
  readonly version: string;
  /** The hosts that requests can name, in lower case. @default see `request.host.ts` */
  readonly hosts?: readonly string[];
  readonly files?: PageFiles;
}

/** The parts of an answer, besides the headers that every answer has. */
interface Answer {
  readonly status?: number;
  readonly type: string;
  readonly body: string | Buffer;
  readonly cache?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

const MARKUP = 'text/html; charset=utf-8';
const SCRIPT = 'text/javascript; charset=utf-8';

/** The most topics of one stream: for each object that changes, all of them are looked at. */
const MOST_TOPICS = 50;

/** The number of events of the log in an answer that says nothing else. */
const LOGGED = 500;

const PAGE_MISSING =
  'The page of the console was not built. In the repository of nestjs-kopf, `npm run build -- kopf` builds it.\n';

/**
 * The server of the console's requests, whichever framework has received them: the page, its files, the answers of its interface, the
 * stream, and actions.
 */
export class ConsoleServer {
  private readonly hubs: ReadonlyMap<OperatorInspection, StreamHub>;
  private readonly files: PageFiles;
  private readonly compression = new AnswerCompression();

  constructor(private readonly options: ConsoleServerOptions) {
    const { operators, clock } = options;
    this.hubs = new Map(operators.map(({ inspection }) => [inspection, new StreamHub(inspection, clock)]));
    this.files = options.files ?? new PageFiles();
  }

  /** Ends all streams, so that the application can stop. */
  close(): void {
    for (const hub of this.hubs.values()) hub.close();
  }

  /** Answers a request; never rejects. */
  async handle(request: ConsoleRequest, response: ServerResponse): Promise<void> {
    const gone = new AbortController();
    response.once('close', () => gone.abort());
    try {
      const answer = await this.answer(request, response, gone.signal);
      if (!answer) return;
      const compressed = await this.compression.compress(request, answer.body);
      if (!gone.signal.aborted) send(response, answer, { isHead: request.method === 'HEAD', compressed });
    } catch (error) {
      if (gone.signal.aborted || response.headersSent) return;
      const problem = toProblem(error);
      const { status, message } = problem;
      if (status === 500) this.options.logger.error('A request for the console has failed.', error);
      const headers = status === 401 && this.options.signIn ? CHALLENGE : undefined;
      const answer = wantsPage(request.raw)
        ? { type: MARKUP, body: createErrorPage(status, [message]) }
        : json(problem);
      send(response, { status, headers, ...answer });
    }
  }

  private async answer(
    given: ConsoleRequest,
    response: ServerResponse,
    signal: AbortSignal,
  ): Promise<Answer | undefined> {
    checkHost(given, this.options.hosts);
    const viewer = await this.options.signIn?.admit(given);
    const request = { ...given, ...(viewer && { viewer }) };
    const parts = splitPath(request.path);
    if (parts[0] === 'api') {
      if (request.method === 'POST' && parts[1] === 'actions' && parts.length === 3) {
        return json(await this.options.gate.act(parts[2], request, (name) => this.find(name).actions, signal));
      }
      if (request.method !== 'GET' && request.method !== 'HEAD') throw new ConsoleError(404, 'There is nothing here.');
      checkOrigin(request);
      return this.answerApi(parts.slice(1), request, response, signal);
    }
    if (request.method !== 'GET' && request.method !== 'HEAD') throw new ConsoleError(404, 'There is nothing here.');
    if (parts[0] === 'assets') {
      const file = parts.length === 2 ? await this.files.asset(parts[1]) : undefined;
      if (!file) throw new ConsoleError(404, 'There is no such file.');
      return { type: file.type, body: file.content, cache: 'public, max-age=31536000, immutable' };
    }
    if (request.path === '') {
      const isScript = request.query.has(SLASH_QUERY);
      return { type: isScript ? SCRIPT : MARKUP, body: isScript ? SLASH_SCRIPT : SLASH_PAGE };
    }
    const page = await this.files.index(baseOf(request.path));
    if (page === undefined) return { status: 503, type: 'text/plain; charset=utf-8', body: PAGE_MISSING };
    return { type: MARKUP, body: page };
  }

  private async answerApi(
    [route, ...rest]: readonly string[],
    request: ConsoleRequest,
    response: ServerResponse,
    signal: AbortSignal,
  ): Promise<Answer | undefined> {
    const { inspection } = this.find(request.query.get('operator') ?? undefined);
    if (route === 'stream' && rest.length === 0) {
      if (request.method === 'HEAD') return { type: 'text/event-stream; charset=utf-8', body: '' };
      const topics = request.query.get('topics')?.split(',', MOST_TOPICS) ?? ['log', ...TOPICS];
      const lastEventId = headerOf(request, 'last-event-id');
      const known = await this.options.gate.authenticate(request);
      const viewer = known ? `user ${known.user}` : `address ${request.raw.socket?.remoteAddress}`;
      if (signal.aborted) return undefined;
      this.hubs.get(inspection)!.open(response, new Set(topics), { viewer, lastEventId });
      return undefined;
    }
    if (route === 'objects' && rest.length === 3) {
      const [resource, namespace, name] = rest;
      return json(await inspection.object({ resource, name, ...(namespace !== '-' && { namespace }) }, signal));
    }
    if (rest.length > 0) throw new ConsoleError(404, 'There is nothing here.');
    if (route === 'log') return json(logOf(inspection, request.query));
    if (route === 'permissions') return json(await inspection.permissions(signal));
    if (!(TOPICS as readonly string[]).includes(route)) throw new ConsoleError(404, 'There is nothing here.');
    const topic = route as InspectionTopic;
    const { query } = request;
    const answer = await this.hubs
      .get(inspection)!
      .answer(topic, query.toString(), () => ask(topic, inspection, query));
    return json(topic === 'overview' ? await this.addFrame(answer as OperatorOverview, inspection, request) : answer);
  }

  /** Adds what the server knows, and the inspection does not. */
  private async addFrame(
    overview: OperatorOverview,
    { name }: OperatorInspection,
    request: ConsoleRequest,
  ): Promise<ConsoleOverview> {
    const { operators, gate, version } = this.options;
    const viewer = await gate.authenticate(request);
    return {
      version,
      operators: operators.map(({ inspection }) => inspection.name),
      operator: name,
      ...overview,
      actions: gate.offered(viewer),
      ...(viewer && { user: viewer.user }),
    };
  }

  private find(name: string | undefined): ConsoleOperator {
    const { operators } = this.options;
    const found = name === undefined ? operators[0] : operators.find(({ inspection }) => inspection.name === name);
    if (!found) throw new ConsoleError(404, 'There is no such operator.');
    return found;
  }
}

/** Returns the inspection's answer about a topic. */
function ask(topic: InspectionTopic, inspection: OperatorInspection, query: URLSearchParams): unknown {
  return topic === 'objects' ? inspection.objects(parseObjectQuery(query)) : inspection[topic]();
}

/** Cuts the end of the event log that a query asks for. */
function logOf(inspection: OperatorInspection, query: URLSearchParams): ConsoleLog {
  const limit = parseCount(query, 'limit') ?? LOGGED;
  return { beganAt: inspection.logBeganAt, events: limit === 0 ? [] : inspection.recentEvents().slice(-limit) };
}

function json(value: unknown): Answer {
  return { type: 'application/json; charset=utf-8', body: stringifyJson(value) };
}

function send(
  response: ServerResponse,
  { status = 200, type, body, cache = 'no-store', headers = {} }: Answer,
  { isHead = false, compressed }: { readonly isHead?: boolean; readonly compressed?: Buffer } = {},
): void {
  response.writeHead(status, {
    ...SAFE_HEADERS,
    ...headers,
    'content-type': type,
    'content-length': Buffer.byteLength(compressed ?? body),
    'cache-control': cache,
    // Whether an answer can be cached depends on the viewer who has requested it.
    vary: 'accept-encoding',
    ...(compressed && { 'content-encoding': 'gzip' }),
  });
  response.end(isHead ? undefined : (compressed ?? body));
}
