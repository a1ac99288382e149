import { createRequire } from 'node:module';
import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { DynamicModule, INestApplication, LoggerService } from '@nestjs/common';
import { NestFactory, type AbstractHttpAdapter } from '@nestjs/core';
import { InvalidArgumentError } from 'commander';
import { CommandError } from './exit.codes.js';

/** The address at which a command serves the controllers of an application. */
export interface ListenAddress {
  readonly host: string;
  /** 0 for a free one. */
  readonly port: number;
}

/** The function `configure` of a file of the user: what its own program does with the application before it listens. */
export type ApplicationSetup = (app: INestApplication) => unknown;

/** The HTTP platforms of Nest, in the order in which they are looked for, with their adapters. */
const PLATFORMS = [
  ['@nestjs/platform-express', 'ExpressAdapter'],
  ['@nestjs/platform-fastify', 'FastifyAdapter'],
] as const;

const LOOPBACK = '127.0.0.1';

/** Parses `3000`, `0.0.0.0:3000`, or `[::]:3000`, for the command line. */
export function parseListenAddress(text: string): ListenAddress {
  const [, host = LOOPBACK, digits] = /^(?:(\[[\da-f:.]+\]|[^:]+):)?(\d{1,5})$/i.exec(text) ?? [];
  const port = Number(digits);
  if (digits === undefined || port > 65535)
    throw new InvalidArgumentError('It must be a port, or an address and a port.');
  return { host: host.replace(/^\[|\]$/g, ''), port };
}

/**
 * Creates an application that can be served, on the platform that the project has installed.
 *
 * @throws CommandError if it has none.
 */
export async function createServedApplication(
  root: DynamicModule,
  folder: string,
  logger: LoggerService,
): Promise<INestApplication> {
  // By default, Nest ends the process by itself if something is wrong.
  return NestFactory.create(root, await createAdapter(folder), { logger, abortOnError: false });
}

/**
 * Has the application configured by the user's files, and listens.
 *
 * @returns the address for a browser.
 */
export async function serveApplication(
  app: INestApplication,
  setups: readonly ApplicationSetup[],
  { host, port }: ListenAddress,
): Promise<string> {
  for (const setUp of setups) await setUp(app);
  await app.listen(port, host);
  return app.getUrl();
}

async function createAdapter(folder: string): Promise<AbstractHttpAdapter> {
  const project = createRequire(resolve(folder, 'kopf.js'));
  for (const [name, adapter] of PLATFORMS) {
    let file: string;
    try {
      file = project.resolve(name);
    } catch {
      continue;
    }
    const platform = (await import(/* @vite-ignore */ pathToFileURL(file).href)) as Record<
      string,
      new () => AbstractHttpAdapter
    >;
    return new platform[adapter]();
  }
  throw new CommandError(`--listen needs an HTTP server: install ${PLATFORMS.map(([name]) => name).join(' or ')}.`);
}
