import type { FactoryProvider, InjectionToken, Provider, Type } from '@nestjs/common';
import { requireOptions } from './option.validation.js';

/** The ways to create the options of a module when the application starts, of which one is given. */
export interface OptionsSources<Options, Factory> {
  /** Creates the options from injected providers. */
  useFactory?: (...args: any[]) => Options | Promise<Options>;
  inject?: FactoryProvider['inject'];
  /** A class that is instantiated to create the options. */
  useClass?: Type<Factory>;
  /** A provider of the imported modules that creates the options. */
  useExisting?: Type<Factory>;
}

/** The use of the options of a module. */
export interface OptionsUse<Options, Method extends string> {
  /** The token of the resulting provider. */
  readonly provide: InjectionToken;
  /** The module, for messages: `KopfHealthModule`. */
  readonly module: string;
  /** The method by which classes create the options: `createKopfHealthOptions`. */
  readonly method: Method;
  /** Validates the options, and turns them into the value to inject. */
  readonly complete: (made: Options) => unknown;
}

/**
 * Creates the providers of the options of a module's `forRootAsync()`.
 *
 * @throws TypeError if there is no way to create them.
 */
export function provideOptions<Options extends object, Method extends string>(
  sources: OptionsSources<Options, Readonly<Record<Method, () => Options | Promise<Options>>>>,
  { provide, module, method, complete }: OptionsUse<Options, Method>,
): Provider[] {
  const { useFactory, inject = [], useClass, useExisting } = sources;
  const finish = (made: Options, source: string): unknown => complete(requireOptions(made, source, module));
  if (useFactory) {
    const create = async (...args: unknown[]) => finish(await useFactory(...args), 'useFactory of forRootAsync()');
    return [{ provide, useFactory: create, inject }];
  }
  const factory = useExisting ?? useClass;
  if (!factory) throw new TypeError(`${module}.forRootAsync() needs one of useFactory, useClass, and useExisting.`);
  const create = async (maker: Readonly<Record<Method, () => Options | Promise<Options>>>) =>
    finish(await maker[method](), `${factory.name}.${method}()`);
  const provider: Provider = { provide, useFactory: create, inject: [factory] };
  return useClass && !useExisting ? [useClass, provider] : [provider];
}
