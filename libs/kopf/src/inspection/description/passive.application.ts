import type { DynamicModule, INestApplicationContext, Type } from '@nestjs/common';
import { AbstractHttpAdapter, NestFactory } from '@nestjs/core';

/** A module of the application, as `NestFactory.create()` takes it. */
export type ApplicationModule = Type | DynamicModule;

/**
 * Creates an application with all providers whose lifecycle hooks are not called: handlers are found, but nothing starts.
 * `createApplicationContext()` would call the hooks at once.
 */
export function createPassive(module: ApplicationModule): Promise<INestApplicationContext> {
  return NestFactory.create(module, createNoServer(), { logger: ['warn', 'error'], abortOnError: false });
}

/** Creates an HTTP server that receives no requests, so that no platform of Nest is needed. */
function createNoServer(): AbstractHttpAdapter {
  class NoServer extends (AbstractHttpAdapter as unknown as new () => object) {}
  return new Proxy(new NoServer() as AbstractHttpAdapter, {
    get(target, name, receiver) {
      if (name === 'getType') return () => 'none';
      if (name === 'getHttpServer') return () => ({});
      const member: unknown = Reflect.get(target, name, receiver);
      // The methods that each platform implements.
      return member === undefined && typeof name === 'string' && name !== 'then' ? () => undefined : member;
    },
  });
}
