import type { DynamicModule } from '@nestjs/common';
import type { NestApplication } from '@nestjs/core';
import { Test } from '@nestjs/testing';
import type { VirtualClock } from 'nestjs-kopf/testing';
import { SilentLogger } from '../../../test/support/telemetry/memory.logger.js';
import { PLATFORMS, type Platform } from '../../../test/support/operators/served.operator.js';
import { serveDocumentation, setUp } from '../src/app.setup.js';

/** The key that the API is served with. */
export const KEY = 'secret';

/** The response of the API. */
export interface Answer {
  readonly status: number;
  readonly body: any;
}

/** The API as `main.ts` serves it, with or without its operator, on the loopback interface. */
export class ServedApi {
  private constructor(
    readonly app: NestApplication,
    private readonly url: string,
    private readonly clock?: VirtualClock,
  ) {}

  /**
   * Resolves when it listens, whatever its operator does.
   *
   * @param clock the operator's, if its time is virtual.
   */
  static async start(module: DynamicModule, clock?: VirtualClock, platform: Platform = 'Express'): Promise<ServedApi> {
    const compiled = await Test.createTestingModule({ imports: [module] })
      .setLogger(new SilentLogger())
      .compile();
    const app: NestApplication = compiled.createNestApplication(PLATFORMS[platform]());
    setUp(app);
    // On Fastify, it would need another package.
    if (platform === 'Express') serveDocumentation(app);
    await outlast(app.init(), clock);
    await app.listen(0, '127.0.0.1');
    return new ServedApi(app, await app.getUrl(), clock);
  }

  async send(method: string, path: string, body?: object, key: string | undefined = KEY): Promise<Answer> {
    return this.request(method, path, body, key ? { 'x-api-key': key } : {});
  }

  /** Gets a path as a browser does in which a user has signed in. */
  async sendAs(user: string, password: string, path: string): Promise<Answer> {
    const authorization = `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}`;
    return this.request('GET', path, undefined, { authorization });
  }

  private async request(
    method: string,
    path: string,
    body: object | undefined,
    given: Readonly<Record<string, string>>,
  ): Promise<Answer> {
    const headers = { ...given, ...(body && { 'content-type': 'application/json' }) };
    const response = await fetch(`${this.url}${path}`, { method, headers, body: body && JSON.stringify(body) });
    const text = await response.text();
    const isJson = response.headers.get('content-type')?.includes('json') === true && text !== '';
    return { status: response.status, body: isJson ? JSON.parse(text) : text || undefined };
  }

  /** Sends a request without the key. */
  async sendOpenly(method: string, path: string): Promise<Answer> {
    return this.send(method, path, undefined, '');
  }

  close(): Promise<void> {
    return outlast(this.app.close(), this.clock);
  }
}

function outlast<T>(promise: Promise<T>, clock: VirtualClock | undefined): Promise<T> {
  return clock ? clock.runUntil(promise) : promise;
}
