/**
 * All that the library uses of Nest beyond its public interface, so that there is one page to read when Nest changes.
 *
 * Nest finds handlers of requests and their enhancers by itself; handlers of objects are none, and modules are not meant to know
 * the paths of their controllers. Everything else in the library imports the packages of Nest by their names alone.
 */
import { RequestMethod, VERSION_NEUTRAL, type InjectionToken, type Type } from '@nestjs/common';
import {
  EXCEPTION_FILTERS_METADATA,
  GUARDS_METADATA,
  INTERCEPTORS_METADATA,
  MODULE_PATH,
  PIPES_METADATA,
  ROUTE_ARGS_METADATA,
  SELF_DECLARED_DEPS_METADATA,
} from '@nestjs/common/constants.js';
import { ExternalContextCreator, type ApplicationConfig, type ModulesContainer } from '@nestjs/core';
import { mapToExcludeRoute } from '@nestjs/core/middleware/utils.js';
import { RoutePathFactory } from '@nestjs/core/router/route-path-factory.js';
import { KopfBootstrapError } from '../common/kopf.errors.js';

/** The private methods that find the module of an instance, of Nest 12 and of Nest 11; they do so for providers only. */
const MODULE_FINDERS = ['getHostModuleKey', 'getContextModuleKey'];

/** Finds the enhancers of the method or its class. */
export function findEnhancers(instance: object, method: object) {
  const has = (key: string): boolean =>
    Reflect.hasMetadata(key, method) || Reflect.hasMetadata(key, instance.constructor);
  return {
    guards: has(GUARDS_METADATA),
    interceptors: has(INTERCEPTORS_METADATA),
    filters: has(EXCEPTION_FILTERS_METADATA),
  };
}

/** Checks whether the method has pipes of its own; those of its class and of its application are for the routes beside it. */
export function hasPipes(instance: object, methodName: string): boolean {
  return Reflect.hasMetadata(PIPES_METADATA, (instance as Record<string, object>)[methodName]);
}

/** Checks whether any parameter of the method has a decorator, and so gets a value of its own instead of the context. */
export function hasParameterDecorators({ constructor }: object, methodName: string): boolean {
  return Reflect.hasMetadata(ROUTE_ARGS_METADATA, constructor, methodName);
}

/**
 * Gets what creates the contexts of an instance, which has to know its module for the sake of the enhancers' dependencies. Nest's own
 * creator looks among providers only: for a controller, it would find no module, and leave out guards without a word.
 *
 * @throws KopfBootstrapError if this version of Nest finds modules in another way, rather than to call handlers without their guards.
 */
export function contextsFor(
  instance: object,
  contexts: ExternalContextCreator,
  modules: ModulesContainer,
): ExternalContextCreator {
  for (const [key, { controllers }] of modules) {
    if (![...controllers.values()].some((wrapper) => wrapper.instance === instance)) continue;
    const finders = MODULE_FINDERS.filter(
      (name) => typeof (contexts as unknown as Record<string, unknown>)[name] === 'function',
    );
    if (finders.length === 0) throw new KopfBootstrapError([describeMissingFinders(instance)]);
    const value = (): string => key;
    return Object.create(
      contexts,
      Object.fromEntries(finders.map((name) => [name, { value }])),
    ) as ExternalContextCreator;
  }
  return contexts;
}

function describeMissingFinders({ constructor: { name } }: object): string {
  return (
    `${name}: ExternalContextCreator of the installed @nestjs/core has neither ${MODULE_FINDERS.join('() nor ')}(), without which the ` +
    'guards, interceptors, and filters of handlers on controllers are not found; move these handlers to a provider, or install a ' +
    'version of Nest that nestjs-kopf supports'
  );
}

/** Lists the tokens that the constructor of a class injects by `@Inject()`, in the order of its parameters. */
export function readDependencies(type: Type): InjectionToken[] {
  const declared = Reflect.getMetadata(SELF_DECLARED_DEPS_METADATA, type) as
    readonly { readonly index: number; readonly param: InjectionToken }[] | undefined;
  return [...(declared ?? [])].sort((one, other) => one.index - other.index).map(({ param }) => param);
}

/** A provider of one of the modules that have it, and the names of the modules that import this one. */
export interface FoundInstance<T> {
  readonly instance: T;
  readonly importers: readonly string[];
}

/**
 * Finds the instances of a class in all modules that provide one, under whatever token, and by whom each of the modules is imported.
 *
 * A module that `forRoot()` has made is another one with each call; one that is kept and imported in several places is the same.
 */
export function findInstances<T>(modules: ModulesContainer, provider: Type<T>): readonly FoundInstance<T>[] {
  const all = [...modules.values()];
  return all.flatMap((owner) => {
    const instances = [...owner.providers.values()].map(({ instance }): unknown => instance);
    const found = instances.find((instance): instance is T => instance instanceof provider);
    if (!found) return [];
    const importers = all.filter(({ imports }) => imports.has(owner)).map(({ metatype }) => metatype.name);
    return [{ instance: found, importers }];
  });
}

/** Describes the members that are used of a provider or a controller as Nest holds it. */
export interface ModuleMember {
  /** The module that has it among its own providers or controllers. */
  readonly host?: {
    readonly metatype: { readonly name: string };
    readonly imports: ReadonlySet<{ readonly providers: ReadonlyMap<InjectionToken, { readonly instance: unknown }> }>;
  };
}

/** Finds what the module of a provider or a controller gets under a token from the modules that it imports itself; exports do not count. */
export function findImportedValues<T>({ host }: ModuleMember, token: InjectionToken): readonly T[] {
  const imports = [...(host?.imports ?? [])];
  return imports.flatMap(({ providers }) => {
    const provider = providers.get(token);
    return provider ? [provider.instance as T] : [];
  });
}

/** Locates a route in its application. */
export interface RoutePlace {
  readonly config: ApplicationConfig;
  readonly modules: ModulesContainer;
  /** The class of the module, which `RouterModule` can have given a path. */
  readonly module: object;
}

/** The whole path of a route that all versions of the application have, as Nest puts it together for its router. */
export function findRoutePath({ config, modules, module }: RoutePlace, controller: string, method: string): string {
  const [path] = new RoutePathFactory(config).create(
    {
      ctrlPath: controller,
      methodPath: method,
      globalPrefix: config.getGlobalPrefix(),
      modulePath: findModulePath(module, modules.applicationId),
      controllerVersion: VERSION_NEUTRAL,
      versioningOptions: config.getVersioning(),
    },
    RequestMethod.POST,
  );
  return path;
}

/**
 * Exempts routes from the global prefix of the application, as its own `setGlobalPrefix()` could: to be called before the routes
 * are made, in `configure()` of a module.
 */
export function excludeFromGlobalPrefix({ config, modules, module }: RoutePlace, paths: readonly string[]): void {
  const parent = findModulePath(module, modules.applicationId) ?? '';
  const whole = paths.map((path) => `/${parent}/${path}`.replaceAll(/\/+/g, '/'));
  const { exclude = [], ...options } = config.getGlobalPrefixOptions();
  config.setGlobalPrefixOptions({ ...options, exclude: [...exclude, ...mapToExcludeRoute(whole)] });
}

/** The path that `RouterModule` has left on the class of a module, for this application or for all of them. */
function findModulePath(module: object, applicationId: string): string | undefined {
  const found: unknown =
    Reflect.getMetadata(MODULE_PATH + applicationId, module) ?? Reflect.getMetadata(MODULE_PATH, module);
  return found as string | undefined;
}
