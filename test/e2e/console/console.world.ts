import type { Provider } from '@nestjs/common';
import {
  Daemon,
  Index,
  KopfOperator,
  OnCreate,
  OnDelete,
  OnEvent,
  OnUpdate,
  PermanentError,
  TemporaryError,
  Timer,
  Validate,
  type ChangeContext,
  type DaemonContext,
} from 'nestjs-kopf';
import { KopfConsoleModule, type KopfConsoleOptions } from 'nestjs-kopf-console';
import type { ConsoleMessage } from '../../../libs/kopf-console/src/console.api.js';
import { eventually } from '../../support/time/eventually.js';
import { KEX, OperatorHarness } from '../../support/operators/operator.harness.js';
import { StubAdmissionServer } from '../../support/webhooks/reviews.js';
import { ServedOperator, type Platform, type ServedOptions } from '../../support/operators/served.operator.js';

/** Does a bit of everything that the console shows: what, the spec of the object says. */
export class ShownOperator {
  readonly calls: string[] = [];
  private release?: () => void;

  @Index(...KEX)
  byField({ spec, name }: { spec: any; name: string }) {
    return { [String(spec.field)]: name };
  }

  @OnEvent(...KEX)
  note() {}

  @OnCreate(...KEX)
  async create({ spec, name, retry, memo }: ChangeContext) {
    this.calls.push(`create ${name} ${retry}`);
    memo.count = retry;
    memo.password = 'of-the-memo';
    if (spec.fails) throw new TemporaryError(`No room for ${name}: 3 of 4`, { delay: 300 });
    if (spec.breaks) throw new PermanentError('It cannot be.');
    if (spec.hangs) await new Promise<void>((resolve) => (this.release = resolve));
  }

  @OnCreate(...KEX, { labels: { tier: 'gold' } })
  polish({ name }: ChangeContext) {
    this.calls.push(`polish ${name}`);
  }

  @OnUpdate(...KEX)
  update({ name }: ChangeContext) {
    this.calls.push(`update ${name}`);
  }

  @OnDelete(...KEX)
  remove({ spec, name, retry }: ChangeContext) {
    this.calls.push(`remove ${name} ${retry}`);
    if (spec.holds) throw new TemporaryError('Not yet.', { delay: 300 });
  }

  @Daemon(...KEX)
  async guard({ stopped }: DaemonContext) {
    await stopped.wait();
  }

  @Timer(...KEX, { interval: 60 })
  tick() {}

  @Validate(...KEX)
  check() {}

  /** Lets a creation go on that hangs. */
  go(): void {
    this.release?.();
  }
}

/** The options of a world. */
export interface WorldOptions extends Partial<Omit<ServedOptions, 'handlers'>> {
  readonly handlers?: readonly Provider[];
  readonly console?: KopfConsoleOptions;
  readonly harness?: OperatorHarness;
  /** The path of the console in the application. @default '/kopf' */
  readonly base?: string;
}

/** An application with an operator and its console, over real HTTP, on a cluster in the process and on virtual time. */
export class ConsoleWorld {
  private constructor(
    readonly harness: OperatorHarness,
    readonly served: ServedOperator,
    readonly base: string,
  ) {}

  static async start(options: WorldOptions = {}): Promise<ConsoleWorld> {
    const {
      handlers = [ShownOperator],
      console = {},
      imports = [],
      platform = 'Express',
      base = '/kopf',
      ...rest
    } = options;
    const harness = options.harness ?? (await OperatorHarness.start());
    const served = await ServedOperator.start(harness, {
      ...rest,
      platform: platform as Platform,
      handlers,
      imports: [...imports, KopfConsoleModule.forRoot(console)],
      options: { admission: { server: new StubAdmissionServer({}) }, ...rest.options },
    });
    await served.ready();
    await harness.clock.settle();
    return new ConsoleWorld(harness, served, base);
  }

  get operator(): KopfOperator {
    return this.served.operator;
  }

  /** Gets an answer of the interface; lets time pass meanwhile, as the operator may ask the API server. */
  async get<T = any>(path: string, headers: Record<string, string> = {}): Promise<T> {
    const { status, body } = await this.ask(path, headers);
    if (status !== 200) throw new Error(`${path}: ${status} ${JSON.stringify(body)}`);
    return body as T;
  }

  async ask(
    path: string,
    headers: Record<string, string> = {},
  ): Promise<{ readonly status: number; readonly body: any }> {
    return this.harness.clock.runUntil(this.served.get(`${this.base}/api/${path}`, headers));
  }

  /** Asks for an action as the page does. */
  async post(action: string, body: unknown, headers: Record<string, string> = {}) {
    const request = fetch(`${this.served.address}${this.base}/api/actions/${action}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-kopf-console': '1', ...headers },
      body: typeof body === 'string' ? body : JSON.stringify(body),
    }).then(async (response) => {
      const text = await response.text();
      const isJson = response.headers.get('content-type')?.includes('json');
      return { status: response.status, body: isJson ? (JSON.parse(text) as any) : text };
    });
    return this.harness.clock.runUntil(request);
  }

  /** Opens a stream. It is closed with the test. */
  async stream(topics: string, lastEventId?: string): Promise<ConsoleStream> {
    const stream = new ConsoleStream(this.harness);
    await stream.open(`${this.served.address}${this.base}/api/stream?topics=${topics}`, lastEventId);
    return stream;
  }
}

/** The messages of a stream of server-sent events, as a browser gets them. */
export class ConsoleStream {
  readonly messages: ConsoleMessage[] = [];
  /** The text of the stream as it came. */
  text = '';
  lastEventId = '';
  isEnded = false;
  headers = new Headers();
  private readonly controller = new AbortController();

  constructor(private readonly harness: OperatorHarness) {}

  async open(url: string, lastEventId?: string): Promise<void> {
    onTestFinished(() => this.close());
    const headers = lastEventId === undefined ? undefined : { 'last-event-id': lastEventId };
    const response = await fetch(url, { headers, signal: this.controller.signal });
    if (response.status !== 200) throw new Error(`${response.status} ${await response.text()}`);
    this.headers = response.headers;
    void this.read(response.body!)
      .catch(() => undefined)
      .finally(() => (this.isEnded = true));
    await eventually('the first message', () => this.messages.length > 0);
  }

  close(): void {
    this.controller.abort();
  }

  /** The events of the log so far. */
  get log() {
    return this.messages.flatMap((message) => (message.type === 'log' ? message.events : []));
  }

  /** The topics that have changed so far. */
  get changed(): ReadonlySet<string> {
    return new Set(this.messages.flatMap((message) => (message.type === 'changed' ? message.topics : [])));
  }

  /** Lets some time pass, and waits until the stream shows what is expected. */
  async shows(expectation: () => void): Promise<void> {
    await this.harness.advance(0.3);
    await vi.waitFor(expectation);
  }

  private async read(body: ReadableStream<Uint8Array>): Promise<void> {
    const decoder = new TextDecoder();
    let rest = '';
    for await (const chunk of body as unknown as AsyncIterable<Uint8Array>) {
      const text = decoder.decode(chunk, { stream: true });
      this.text += text;
      const blocks = (rest + text).split('\n\n');
      rest = blocks.pop()!;
      for (const block of blocks) this.take(block);
    }
  }

  private take(block: string): void {
    const fields = Object.fromEntries(
      block.split('\n').map((line) => [line.slice(0, line.indexOf(':')), line.slice(line.indexOf(':') + 2)]),
    );
    if (fields.id !== undefined) this.lastEventId = fields.id;
    if (fields.data !== undefined) this.messages.push(JSON.parse(fields.data) as ConsoleMessage);
  }
}
