import type { FactoryProvider, InjectionToken, Provider, Type } from '@nestjs/common';
import { requireOptions } from './option.validation.js';

/** The ways in which a module's options are made when the application starts; one of them is given. */
export interface OptionsSources<Options, Factory> {
  /** Makes the options out of the injected providers. */
  useFactory?: (...args: any[]) => Options | Promise<Options>;
  inject?: FactoryProvider['inject'];
  /** Is created to make the options. */
  useClass?: Type<Factory>;
  /** Is there already, in the imported modules, to make the options. */
  useExisting?: Type<Factory>;
}

/** Tells what is made of the options of a module. */
export interface OptionsUse<Options, Method extends string> {
  /** The token that the result is injected by. */
  readonly provide: InjectionToken;
  /** Names the module in messages: `KopfHealthModule`. */
  readonly module: string;
  /** Names the method of the classes that make the options: `createKopfHealthOptions`. */
  readonly method: Method;
  /** Checks the options, and makes of them what is injected. */
  readonly complete: (made: Options) => unknown;
}

/**
 * The providers of the options that `forRootAsync()` of a module takes.
 *
 * @throws TypeError if there is nothing to make the options with.
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
