import type { ModuleMetadata, Provider, Type } from '@nestjs/common';
import type { NestApplication } from '@nestjs/core';
import { ExpressAdapter } from '@nestjs/platform-express';
import { FastifyAdapter } from '@nestjs/platform-fastify';
import { Test } from '@nestjs/testing';
import { KopfModule, KopfOperator, type Clock, type KopfModuleOptions } from 'nestjs-kopf';
import { SeededRandom, VirtualClock } from 'nestjs-kopf/testing';
import { KOPF_LOGGER } from '../../../libs/kopf/src/kopf.tokens.js';
import type { OperatorHarness } from './operator.harness.js';
import { SilentLogger } from '../telemetry/memory.logger.js';

/** The platforms that applications are served with. */
export const PLATFORMS = { Express: () => new ExpressAdapter(), Fastify: () => new FastifyAdapter() } as const;

export type Platform = keyof typeof PLATFORMS;

/** The HTTP platform and the modules of an application. */
export interface ServedOptions {
  readonly platform: Platform;
  readonly handlers: readonly Provider[];
  readonly imports?: ModuleMetadata['imports'];
  readonly controllers?: ModuleMetadata['controllers'];
  /** @default the harness's virtual time */
  readonly clock?: Clock;
  readonly options?: KopfModuleOptions;
  /** Configures the application before it starts: a global prefix, versions. */
  readonly prepare?: (app: NestApplication) => void;
}

/** The response of a server. */
export interface Answer {
  readonly status: number;
  readonly body: any;
}

/** An application with an operator that is served over real HTTP, on the cluster of a harness. Closed with the test. */
export class ServedOperator {
  private url: string;

  private constructor(
    private readonly app: NestApplication,
    private readonly harness: OperatorHarness,
    private readonly clock: Clock,
  ) {}

  /** Starts the application; the operator can be under way still. */
  static async start(harness: OperatorHarness, served: ServedOptions): Promise<ServedOperator> {
    const { platform, handlers, imports = [], controllers, clock = harness.clock, options, prepare } = served;
    const credentials = { server: 'http://embedded', transport: harness.kube.transport() };
    const kopf = KopfModule.forRoot({ clock, random: new SeededRandom(4), credentials, ...options });
    const module = await Test.createTestingModule({
      imports: [...imports, kopf],
      controllers,
      providers: [...handlers],
    })
      .overrideProvider(KOPF_LOGGER)
      .useValue(harness.logger)
      .setLogger(new SilentLogger())
      .compile();
    const app: NestApplication = module.createNestApplication(PLATFORMS[platform]());
    prepare?.(app);
    const operator = new ServedOperator(app, harness, clock);
    onTestFinished(() => operator.outlast(app.close()));
    await operator.outlast(app.init());
    await app.listen(0, '127.0.0.1');
    operator.url = await app.getUrl();
    return operator;
  }

  /** The URL of the application, without a slash at its end. */
  get address(): string {
    return this.url;
  }

  get operator(): KopfOperator {
    return this.app.get(KopfOperator);
  }

  /** Finds a provider of the application by its token. */
  find<T>(token: Type<T> | symbol | string): T {
    return this.app.get<T>(token);
  }

  ready(): Promise<void> {
    return this.outlast(this.operator.ready());
  }

  /** Gets a path of the application over HTTP. */
  async get(path: string, headers: Record<string, string> = {}): Promise<Answer> {
    const { status, type, text } = await this.getText(path, headers);
    return { status, body: type?.includes('json') && text !== '' ? JSON.parse(text) : text || undefined };
  }

  /** Gets a path of the application over HTTP that answers with anything but JSON. */
  async getText(path: string, headers: Record<string, string> = {}) {
    const response = await fetch(`${this.url}${path}`, { headers });
    return { status: response.status, type: response.headers.get('content-type'), text: await response.text() };
  }

  /** Stops the application, as a shutdown does. */
  close(): Promise<void> {
    return this.outlast(this.app.close());
  }

  private outlast<T>(promise: Promise<T>): Promise<T> {
    return this.clock instanceof VirtualClock ? this.harness.clock.runUntil(promise) : promise;
  }
}
