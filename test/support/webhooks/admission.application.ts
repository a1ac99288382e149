import type { INestApplication, ModuleMetadata } from '@nestjs/common';
import { ExpressAdapter } from '@nestjs/platform-express';
import { FastifyAdapter } from '@nestjs/platform-fastify';
import { Test } from '@nestjs/testing';
import type { EmbeddedKube } from 'embedded-kube';
import {
  KopfAdmissionModule,
  KopfModule,
  KopfOperator,
  type KopfAdmissionOptions,
  type KopfModuleOptions,
} from 'nestjs-kopf';
import { KOPF_LOGGER } from '../../../libs/kopf/src/kopf.tokens.js';
import { MemoryLogger } from '../telemetry/memory.logger.js';

export type Platform = 'express' | 'fastify';

/** The options of the application. */
export interface AdmissionApplicationOptions extends ModuleMetadata {
  readonly platform: Platform;
  readonly kube: EmbeddedKube;
  readonly kopf?: KopfModuleOptions;
  /** Options of the controller; no controller, if it is `false`. */
  readonly admission?: KopfAdmissionOptions | false;
  /** Options of TLS; without them, it speaks HTTP. */
  readonly https?: object;
  /** Called before the application is initialised. */
  readonly configure?: (app: INestApplication) => void;
}

/** An application that listens on the loopback interface and serves webhooks. Closed with the test. */
export class AdmissionApplication {
  readonly logger = new MemoryLogger();
  app: INestApplication;
  url: string;

  static async start(options: AdmissionApplicationOptions): Promise<AdmissionApplication> {
    const application = new AdmissionApplication();
    await application.start(options);
    return application;
  }

  /** Posts anything to a path; texts are sent as they are. */
  async post(
    path: string,
    body: unknown,
    headers: Record<string, string> = {},
  ): Promise<{ status: number; body: any }> {
    const response = await fetch(this.url + path, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body: typeof body === 'string' || body === undefined ? body : JSON.stringify(body),
    });
    const text = await response.text();
    return { status: response.status, body: text.startsWith('{') ? JSON.parse(text) : text };
  }

  private async start(options: AdmissionApplicationOptions): Promise<void> {
    const { platform, kube, kopf, admission, configure, https, imports = [], ...metadata } = options;
    const module = await Test.createTestingModule({
      ...metadata,
      imports: [
        ...imports,
        ...(admission === false ? [] : [KopfAdmissionModule.forRoot(admission)]),
        KopfModule.forRoot({ credentials: { server: 'http://embedded', transport: kube.transport() }, ...kopf }),
      ],
    })
      .overrideProvider(KOPF_LOGGER)
      .useValue(this.logger)
      .setLogger(false as never)
      .compile();
    const adapter = platform === 'express' ? new ExpressAdapter() : new FastifyAdapter({ https } as never);
    this.app = module.createNestApplication(adapter as never, { logger: false, httpsOptions: https });
    configure?.(this.app);
    onTestFinished(() => this.app.close());
    await this.app.init();
    await this.app.get(KopfOperator).ready();
    await this.app.listen(0, '127.0.0.1');
    this.url = (await this.app.getUrl()).replace('[::1]', '127.0.0.1');
  }
}
