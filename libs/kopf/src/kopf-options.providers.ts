import type { FactoryProvider, ModuleMetadata, Provider, Type } from '@nestjs/common';
import { ConcealedOptions } from './operator/concealed.options.js';
import { KOPF_OPTIONS } from './kopf.tokens.js';
import type { KopfModuleOptions } from './kopf.options.js';

/** Makes the options of the module; to be implemented by a provider of the application. */
export interface KopfOptionsFactory {
  createKopfOptions(): KopfModuleOptions | Promise<KopfModuleOptions>;
}

/** The options of the module, made when the application starts: by a function, or by a provider. */
export interface KopfModuleAsyncOptions extends Pick<ModuleMetadata, 'imports'> {
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
export function optionsProviders({ useFactory, inject, useClass, useExisting }: KopfModuleAsyncOptions): Provider[] {
  if (useFactory) {
    const conceal = async (...args: unknown[]) => ConcealedOptions.of(await useFactory(...args));
    return [{ provide: KOPF_OPTIONS, useFactory: conceal, inject: inject ?? [] }];
  }
  const factory = useExisting ?? useClass;
  if (!factory) throw new TypeError('KopfModule.forRootAsync() needs one of useFactory, useClass, and useExisting.');
  const options: Provider = {
    provide: KOPF_OPTIONS,
    useFactory: async (made: KopfOptionsFactory) => ConcealedOptions.of(await made.createKopfOptions()),
    inject: [factory],
  };
  return useClass ? [useClass, options] : [options];
}
