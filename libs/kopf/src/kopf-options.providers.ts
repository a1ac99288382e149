import type { FactoryProvider, ModuleMetadata, Provider, Type } from '@nestjs/common';
import { ConcealedOptions } from './operator/concealed.options.js';
import { KopfOptionsError } from './common/kopf.errors.js';
import { provideOptions } from './settings/options.providers.js';
import { KOPF_OPTIONS, operatorTokenOf } from './kopf.tokens.js';
import type { KopfModuleOptions } from './kopf.options.js';

/** Makes the options of the module; to be implemented by a provider of the application. */
export interface KopfOptionsFactory {
  createKopfOptions(): KopfModuleOptions | Promise<KopfModuleOptions>;
}

/** The options of the module, made when the application starts: by a function, or by a provider. */
export interface KopfModuleAsyncOptions extends Pick<ModuleMetadata, 'imports'> {
  /**
   * Names the operator, so that the application can have several: see the option `name` of `forRoot()`. It is given here, as the tokens of the
   * operator's services are made before the other options. @default 'default'
   */
  name?: string;
  /** Makes the options out of the injected providers. */
  useFactory?: (...args: any[]) => KopfModuleOptions | Promise<KopfModuleOptions>;
  inject?: FactoryProvider['inject'];
  /** Is created to make the options. */
  useClass?: Type<KopfOptionsFactory>;
  /** Is there already, in the imported modules, to make the options. */
  useExisting?: Type<KopfOptionsFactory>;
}

/**
 * The providers of the options.
 *
 * @throws TypeError if there is nothing to make the options with.
 */
export function optionsProviders({ name, ...sources }: KopfModuleAsyncOptions & { name: string }): Provider[] {
  return provideOptions(sources, {
    provide: operatorTokenOf(name, KOPF_OPTIONS),
    module: 'KopfModule',
    method: 'createKopfOptions',
    complete: (options: KopfModuleOptions) => conceal(options, name),
  });
}

/** Hides the credentials, and adds the name that the tokens have. */
function conceal(options: KopfModuleOptions, name: string): KopfModuleOptions {
  if (options.name !== undefined && options.name !== name) {
    throw new KopfOptionsError([
      'name must be given beside the factory, as the tokens of the services are made earlier',
    ]);
  }
  return Object.assign(ConcealedOptions.of(options), { name });
}
