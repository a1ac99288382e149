import type { DynamicModule, InjectionToken, Provider, Type } from '@nestjs/common';
import { Test, type TestingModule } from '@nestjs/testing';
import { EmbeddedKube, type EmbeddedKubeOptions } from 'embedded-kube';
import {
  KopfModule,
  KopfOperator,
  parseJson,
  stringifyJson,
  type KopfModuleOptions,
  type KubeObject,
  type KubeRequest,
  type KubeResponse,
  type KubeTransport,
} from 'nestjs-kopf';
import { respondWith, SeededRandom, VirtualClock } from 'nestjs-kopf/testing';
import { KOPF_LOGGER } from '../../../libs/kopf/src/kopf.tokens.js';
import { customResource, DEFINITIONS, UnexpectedStatusError } from '../clusters/cluster.user.js';
import { MemoryLogger } from '../telemetry/memory.logger.js';
import { RecordingTransport, type RecordedWrite } from '../transport/recording.transport.js';

/** The resource that most tests handle objects of: `kopfexamples.kopf.dev`. */
export const KEX = ['kopf.dev/v1', 'kopfexamples'] as const;

/** The custom resource of a harness. */
export interface HarnessResource {
  readonly group: string;
  readonly kind: string;
  readonly plural: string;
  readonly shortNames: readonly string[];
  /** The spec of objects that are created without any. */
  readonly spec: object;
}

const EXAMPLES: HarnessResource = {
  group: 'kopf.dev',
  kind: 'KopfExample',
  plural: 'kopfexamples',
  shortNames: ['kex'],
  spec: { field: 'v1' },
};

/** The options of the cluster. */
export interface HarnessOptions {
  /** The resource whose objects are created, patched, and read. @default kopfexamples */
  readonly resource?: HarnessResource;
  /** Whether the resource has the status subresource. @default false */
  readonly statusSubresource?: boolean;
  /** Whether the schema of the resource has no fields in the status, so that they are pruned. @default false */
  readonly prunedStatus?: boolean;
  /** Whether the resource exists from the beginning. @default true */
  readonly definition?: boolean;
  readonly kube?: Omit<EmbeddedKubeOptions, 'clock' | 'random' | 'port'>;
}

/** The options with which an operator is started. */
export interface OperatorOptions extends KopfModuleOptions {
  /** Whose requests they are. @default the administrator's */
  readonly token?: string;
  /** Sees the operator's requests before the cluster: can answer them, or throw as a broken connection does. */
  readonly intercept?: (request: KubeRequest) => KubeResponse | undefined | Promise<KubeResponse | undefined>;
  readonly providers?: readonly Provider[];
  /** Modules of the application. */
  readonly imports?: readonly (Type | DynamicModule)[];
  /** Classes to be used in the place of the library's own providers, by their tokens. */
  readonly overrides?: ReadonlyMap<InjectionToken, Type>;
  /** Whether the harness does not wait until the operator is ready. @default false */
  readonly unready?: boolean;
}

/**
 * An embedded API server and operators on it, all in this process and on virtual time. Closed with the test.
 *
 * @example
 * const harness = await OperatorHarness.start();
 * await harness.run(Operator, { queueing: { workerLimit: 1 } });
 * await harness.create('a', { spec: { field: 'v1' } });
 * await harness.advance(60);
 * expect((await harness.get('a')).status).toEqual({ create: 'done' });
 */
export class OperatorHarness {
  readonly logger = new MemoryLogger();
  /** The writes of the operators, in the order of the responses. */
  readonly writes: RecordedWrite[] = [];
  private readonly cluster: KubeTransport;
  private readonly running: RunningOperator[] = [];
  private readonly resource: HarnessResource;

  private constructor(
    readonly kube: EmbeddedKube,
    readonly clock: VirtualClock,
    private readonly options: HarnessOptions,
  ) {
    this.cluster = kube.transport();
    this.resource = options.resource ?? EXAMPLES;
  }

  /** Starts a cluster with the namespaces `ns` and `other`. */
  static async start(options: HarnessOptions = {}): Promise<OperatorHarness> {
    const clock = new VirtualClock();
    const logger = new MemoryLogger();
    const kube = await EmbeddedKube.start({ logger, ...options.kube, clock, random: new SeededRandom(1), port: false });
    const harness = new OperatorHarness(kube, clock, options);
    onTestFinished(() => harness.close());
    for (const name of ['ns', 'other']) await harness.send('POST', '/api/v1/namespaces', { metadata: { name } });
    if (options.definition ?? true) await harness.define();
    await harness.advance(1);
    return harness;
  }

  /** Starts an operator with handlers of the given classes, after those that run already. */
  async run(handlers: Provider | readonly Provider[], options: OperatorOptions = {}): Promise<KopfOperator> {
    const {
      token,
      intercept,
      providers = [],
      imports = [],
      overrides = new Map(),
      unready = false,
      ...moduleOptions
    } = options;
    const link = new CuttableTransport(
      new RecordingTransport(this.kube.transport(token), (write) => this.writes.push(write)),
      intercept,
    );
    const builder = Test.createTestingModule({
      imports: [
        ...imports,
        KopfModule.forRoot({
          clock: this.clock,
          random: new SeededRandom(2),
          credentials: { server: 'http://embedded', transport: link },
          ...moduleOptions,
        }),
      ],
      providers: [...(Array.isArray(handlers) ? handlers : [handlers]), ...providers],
    })
      .overrideProvider(KOPF_LOGGER)
      .useValue(this.logger)
      .setLogger(false as never);
    for (const [provider, substitute] of overrides) builder.overrideProvider(provider).useClass(substitute);
    const module = await builder.compile();
    this.running.push({ module, link });
    await this.outlast(module.init());
    const operator = module.get(KopfOperator);
    if (!unready) await this.outlast(operator.ready());
    await this.clock.settle();
    return operator;
  }

  /** Stops an operator, by default the one that was started last, as a shutdown does. */
  async stop(which?: KopfOperator): Promise<void> {
    const operator = this.find(which);
    if (operator) this.running.splice(this.running.indexOf(operator), 1);
    if (operator) await this.outlast(operator.module.close());
  }

  /** Ends an operator, by default the one that was started last, as a crash does: nothing of it reaches the cluster any more. */
  kill(which?: KopfOperator): void {
    this.find(which)?.link.cut();
  }

  get<T = any>(provider: abstract new (...args: any[]) => T): T {
    return this.running.at(-1)!.module.get(provider as never);
  }

  /** Lets virtual time pass. */
  async advance(seconds: number): Promise<void> {
    await this.clock.advance(seconds * 1000);
  }

  /** Creates the definition of the resource. */
  async define(): Promise<void> {
    const { statusSubresource, prunedStatus } = this.options;
    await this.send('POST', DEFINITIONS, customResource({ ...this.resource, statusSubresource, prunedStatus }));
  }

  /** Deletes the definition of the resource, and all objects with it. */
  async undefine(): Promise<void> {
    await this.send('DELETE', `${DEFINITIONS}/${this.resource.plural}.${this.resource.group}`);
  }

  /** Creates an object of the resource. */
  create(name: string, content?: Partial<KubeObject>): Promise<KubeObject> {
    const { group, kind, spec } = this.resource;
    const { metadata, ...rest } = content ?? { spec };
    const body = { apiVersion: `${group}/v1`, kind, metadata: { ...metadata, name }, ...rest };
    return this.send('POST', this.pathOf('', metadata?.namespace), body);
  }

  /** Merges a patch into an object of the resource. */
  patch(name: string, patch: object, subresource = ''): Promise<KubeObject> {
    return this.send('PATCH', `${this.pathOf(name)}${subresource && `/${subresource}`}`, patch);
  }

  /** Deletes an object of the resource; it may stay if finalizers hold it. */
  async delete(name: string): Promise<void> {
    await this.send('DELETE', this.pathOf(name));
  }

  /** The object of the resource as it is now; `undefined` if there is none. */
  async read(name: string): Promise<KubeObject | undefined> {
    try {
      return await this.send('GET', this.pathOf(name));
    } catch (error) {
      if (error instanceof UnexpectedStatusError && error.status === 404) return undefined;
      throw error;
    }
  }

  /** The object of the resource as it is now, which must exist. */
  async object(name: string): Promise<KubeObject> {
    return this.send('GET', this.pathOf(name));
  }

  /** The names of the object's annotations that are the operator's. */
  async marks(name: string): Promise<string[]> {
    const { annotations = {} } = (await this.object(name)).metadata;
    return Object.keys(annotations).filter((key) => key.startsWith('kopf.zalando.org/'));
  }

  /** The Kubernetes events of a namespace. */
  async events(namespace = 'ns'): Promise<readonly KubeObject[]> {
    return (await this.send('GET', `/api/v1/namespaces/${namespace}/events`)).items as KubeObject[];
  }

  /** Sends any request to the cluster, as its administrator. */
  async send(
    method: string,
    path: string,
    body?: object,
    contentType = method === 'PATCH' ? 'application/merge-patch+json' : 'application/json',
  ): Promise<KubeObject> {
    const headers = { accept: 'application/json', 'content-type': contentType };
    const response = await this.cluster.request({ method, path, headers, body: body && stringifyJson(body) });
    const text = await response.text();
    if (response.status >= 300) throw new UnexpectedStatusError(response.status, `${method} ${path}`, text);
    return parseJson(text) as KubeObject;
  }

  /** The patches of an object of the resource that operators have sent. */
  patchesOf(name: string): readonly RecordedWrite[] {
    return this.writes.filter(
      ({ method, path }) => method === 'PATCH' && path.split('/status')[0].endsWith(`/${this.resource.plural}/${name}`),
    );
  }

  private pathOf(name: string, namespace = 'ns'): string {
    const { group, plural } = this.resource;
    return `/apis/${group}/v1/namespaces/${namespace}/${plural}${name && `/${name}`}`;
  }

  private find(which?: KopfOperator): RunningOperator | undefined {
    return which ? this.running.find(({ module }) => module.get(KopfOperator) === which) : this.running.at(-1);
  }

  private async close(): Promise<void> {
    for (const { module } of this.running.splice(0)) await this.outlast(module.close());
    await this.outlast(this.kube.stop());
  }

  /** Lets time pass until the promise is settled. Files are read in real time, so having nothing to wait for is no end. */
  private async outlast<T>(promise: Promise<T>): Promise<T> {
    let settled = false;
    const mark = (): void => void (settled = true);
    promise.then(mark, mark);
    const deadline = performance.now() + 20_000;
    while (!settled) {
      await this.clock.settle();
      const { nextTimerIn } = this.clock;
      if (!settled && nextTimerIn !== undefined) await this.clock.advance(nextTimerIn);
      if (performance.now() > deadline) throw new Error('Not settled, however much time has passed.');
    }
    return promise;
  }
}

interface RunningOperator {
  readonly module: TestingModule;
  readonly link: CuttableTransport;
}

/** Passes requests on, until it is cut: then nothing comes through any more, in either direction. */
class CuttableTransport implements KubeTransport {
  private readonly controller = new AbortController();

  constructor(
    private readonly transport: KubeTransport,
    private readonly intercept?: OperatorOptions['intercept'],
  ) {}

  cut(): void {
    this.controller.abort(new Error('The process is dead.'));
  }

  async request(request: KubeRequest): Promise<KubeResponse> {
    this.controller.signal.throwIfAborted();
    const answer = await this.intercept?.(request);
    if (answer) return answer;
    const signals = [this.controller.signal, ...(request.signal ? [request.signal] : [])];
    const response = await this.transport.request({ ...request, signal: AbortSignal.any(signals) });
    this.controller.signal.throwIfAborted();
    return response;
  }

  close(): Promise<void> {
    return this.transport.close();
  }
}

/** An unsuccessful answer of an API server. */
export function errorResponse(code: number, reason: string, message: string): KubeResponse {
  return respondWith(code, { kind: 'Status', apiVersion: 'v1', status: 'Failure', code, reason, message });
}
