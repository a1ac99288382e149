import type { FactoryProvider, ModuleMetadata, Provider, Type } from '@nestjs/common';
import { ConcealedOptions } from './operator/concealed.options.js';
import { KopfOptionsError } from './common/kopf.errors.js';
import { provideOptions } from './settings/options.providers.js';
import { KOPF_OPTIONS, operatorTokenOf } from './kopf.tokens.js';
import type { KopfModuleOptions } from './kopf.options.js';

/** A factory of the options of the module, implemented by a provider of the application. */
export interface KopfOptionsFactory {
  createKopfOptions(): KopfModuleOptions | Promise<KopfModuleOptions>;
}

/** The options of the module, created when the application starts: by a function, or by a provider. */
export interface KopfModuleAsyncOptions extends Pick<ModuleMetadata, 'imports'> {
  /**
   * The name of the operator, so that the application can have several: see the option `name` of `forRoot()`. It is given here, as the
   * tokens of the operator's services are created before the other options. @default 'default'
   */
  name?: string;
  /** A function that creates the options from the injected providers. */
  useFactory?: (...args: any[]) => KopfModuleOptions | Promise<KopfModuleOptions>;
  inject?: FactoryProvider['inject'];
  /** A class that is instantiated to create the options. */
  useClass?: Type<KopfOptionsFactory>;
  /** A provider of the imported modules that creates the options. */
  useExisting?: Type<KopfOptionsFactory>;
}

/**
 * Creates the providers of the options.
 *
 * @throws TypeError if there is no factory of the options.
 */
export function optionsProviders({ name, ...sources }: KopfModuleAsyncOptions & { name: string }): Provider[] {
  return provideOptions(sources, {
    provide: operatorTokenOf(name, KOPF_OPTIONS),
    module: 'KopfModule',
    method: 'createKopfOptions',
    complete: (options: KopfModuleOptions) => conceal(options, name),
  });
}

/** Hides the credentials from printing, and adds the name of the tokens. */
function conceal(options: KopfModuleOptions, name: string): KopfModuleOptions {
  if (options.name !== undefined && options.name !== name) {
    throw new KopfOptionsError([
      'name must be given beside the factory, as the tokens of the services are made earlier',
    ]);
  }
  return Object.assign(ConcealedOptions.of(options), { name });
}
