import type { DynamicModule, INestApplicationContext, Type } from '@nestjs/common';
import { AbstractHttpAdapter, NestFactory } from '@nestjs/core';

/** A module of the application, as `NestFactory.create()` takes it. */
export type ApplicationModule = Type | DynamicModule;

/**
 * Creates an application with all providers, of which no lifecycle hook is called: handlers can be found, but nothing starts.
 * `createApplicationContext()` would initialise it at once.
 */
export function createPassive(module: ApplicationModule): Promise<INestApplicationContext> {
  return NestFactory.create(module, createNoServer(), { logger: ['warn', 'error'], abortOnError: false });
}

/** Makes an HTTP server that is never asked for anything, so that no platform of Nest is needed. */
function createNoServer(): AbstractHttpAdapter {
  class NoServer extends (AbstractHttpAdapter as unknown as new () => object) {}
  return new Proxy(new NoServer() as AbstractHttpAdapter, {
    get(target, name, receiver) {
      if (name === 'getType') return () => 'none';
      if (name === 'getHttpServer') return () => ({});
      const member: unknown = Reflect.get(target, name, receiver);
      // The methods that each platform has in its own way.
      return member === undefined && typeof name === 'string' && name !== 'then' ? () => undefined : member;
    },
  });
}
