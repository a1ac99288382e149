import { NestFactory } from '@nestjs/core';
import { errorText } from 'kube-common';
import { HandlerRegistry, KOPF_OPTIONS } from 'nestjs-kopf/tooling';
import { type KopfModuleOptions, KopfSettings } from 'nestjs-kopf';
import type { CliEnvironment } from './cli.environment.js';
import { CommandError } from './exit.codes.js';
import { createRootModule, loadOperator } from './loaded.operator.js';
import { existsSync } from 'node:fs';
import { resolve } from 'node:path';

/** The handlers and the settings of an operator that was loaded, but not started. */
export interface LoadedOperator {
  readonly registry: HandlerRegistry;
  readonly settings: KopfSettings;
  readonly options: KopfModuleOptions;
}

/**
 * Loads the user's operator to look at its handlers, for as long as they are looked at. Its providers are created, as handlers belong to
 * them, but the operator is not started, and makes no request.
 *
 * @param name a file, or an installed package.
 * @throws CommandError if it cannot be loaded or created.
 */
export async function withOperator<T>(
  name: string,
  environment: CliEnvironment,
  use: (operator: LoadedOperator) => Promise<T>,
): Promise<T> {
  const isFile = existsSync(resolve(environment.folder, name)) || /^[./]|\.[mc]?[jt]sx?$/.test(name);
  const source = await loadOperator(isFile ? [name] : [], isFile ? [] : [name], environment);
  const root = await createRootModule(source, (given) => Object.assign(given, { enabled: false }));
  const app = await NestFactory.createApplicationContext(root, { logger: false, abortOnError: false }).catch(
    (error: unknown) => {
      throw new CommandError(`The operator of ${name} cannot be created: ${errorText(error)}`, { cause: error });
    },
  );
  try {
    const registry = app.get(HandlerRegistry, { strict: false });
    const settings = app.get(KopfSettings, { strict: false });
    return await use({ registry, settings, options: app.get<KopfModuleOptions>(KOPF_OPTIONS, { strict: false }) });
  } finally {
    await app.close();
  }
}
