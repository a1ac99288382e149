import type { FactoryProvider, ModuleMetadata, Provider, Type } from '@nestjs/common';
import { ConcealedOptions } from './operator/concealed.options.js';
import { KopfOptionsError } from './common/kopf.errors.js';
import { requireOptions } from './settings/option.validation.js';
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
export function optionsProviders(options: KopfModuleAsyncOptions & { name: string }): Provider[] {
  const { name, useFactory, inject, useClass, useExisting } = options;
  const provide = operatorTokenOf(name, KOPF_OPTIONS);
  if (useFactory) {
    const create = async (...args: unknown[]) =>
      conceal(await useFactory(...args), name, 'useFactory of forRootAsync()');
    return [{ provide, useFactory: create, inject: inject ?? [] }];
  }
  const factory = useExisting ?? useClass;
  if (!factory) throw new TypeError('KopfModule.forRootAsync() needs one of useFactory, useClass, and useExisting.');
  const provider: Provider = {
    provide,
    useFactory: async (made: KopfOptionsFactory) =>
      conceal(await made.createKopfOptions(), name, `${factory.name}.createKopfOptions()`),
    inject: [factory],
  };
  return useClass ? [useClass, provider] : [provider];
}

/** Hides the credentials, and adds the name that the tokens have. */
function conceal(made: KopfModuleOptions, name: string, source: string): KopfModuleOptions {
  const options = requireOptions(made, source, 'KopfModule');
  if (options.name !== undefined && options.name !== name) {
    throw new KopfOptionsError([
      'name must be given beside the factory, as the tokens of the services are made earlier',
    ]);
  }
  return Object.assign(ConcealedOptions.of(options), { name });
}
