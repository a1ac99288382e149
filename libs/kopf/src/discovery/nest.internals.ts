/**
 * All that the library uses of Nest beyond its public interface, in one file, to be checked when Nest changes.
 *
 * Nest finds handlers of requests and their enhancers; handlers of objects are none, and modules are not meant to know the paths
 * of their controllers. All other files of the library import only the public entry points of Nest's packages.
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
import {
  ContextIdFactory,
  ExternalContextCreator,
  ModuleRef,
  type LazyModuleLoader,
  type ApplicationConfig,
  type ContextId,
  type DiscoveryService,
  type ModulesContainer,
} from '@nestjs/core';
import { mapToExcludeRoute } from '@nestjs/core/middleware/utils.js';
import { RoutePathFactory } from '@nestjs/core/router/route-path-factory.js';
import { KopfBootstrapError } from '../common/kopf.errors.js';
import { eachKind, ENHANCER_KINDS, type EnhancerKind, type Enhancers, type GlobalEnhancers } from './enhancers.js';

/** The private methods that find the module of an instance, of Nest 12 and of Nest 11; they do so for providers only. */
const MODULE_FINDERS = ['getHostModuleKey', 'getContextModuleKey'];

/** A provider or a controller, as Nest's container has it. */
export type InstanceWrapper = ReturnType<DiscoveryService['getProviders']>[number];

const ENHANCERS_METADATA: Readonly<Record<EnhancerKind, string>> = {
  guards: GUARDS_METADATA,
  interceptors: INTERCEPTORS_METADATA,
  pipes: PIPES_METADATA,
  filters: EXCEPTION_FILTERS_METADATA,
};

/** The metadata that decorators of parameters leave, those of Nest and those made by `createParamDecorator()`. */
export const PARAMETERS_METADATA = ROUTE_ARGS_METADATA;

/**
 * Checks whether a metadata key is that of guards, interceptors, pipes, or filters, of which Nest creates instances before handlers are
 * explored.
 */
export function isEnhancerKey(key: unknown): boolean {
  return Object.values<unknown>(ENHANCERS_METADATA).includes(key);
}

/** Finds the enhancers of the method or its class. */
export function findEnhancers(type: object, method: object): Enhancers {
  const has = (key: string): boolean => Reflect.hasMetadata(key, method) || Reflect.hasMetadata(key, type);
  return eachKind((kind) => has(ENHANCERS_METADATA[kind]));
}

/** Checks whether the method itself has pipes; pipes of its class and of its application are meant for the routes beside it. */
export function hasPipes(type: { readonly prototype: object }, methodName: string): boolean {
  return Reflect.hasMetadata(PIPES_METADATA, (type.prototype as Record<string, object>)[methodName]);
}

/**
 * Finds the global enhancers of the application that are for handlers, too.
 *
 * @throws KopfBootstrapError if one of them is request-scoped: Nest creates these for routes only, and handlers would be called without
 * them.
 */
export function findGlobalEnhancers(config: ApplicationConfig, allowed: GlobalEnhancers): Enhancers {
  const lists = {
    guards: [config.getGlobalGuards(), config.getGlobalRequestGuards()],
    interceptors: [config.getGlobalInterceptors(), config.getGlobalRequestInterceptors()],
    pipes: [config.getGlobalPipes(), config.getGlobalRequestPipes()],
    filters: [config.getGlobalFilters(), config.getGlobalRequestFilters()],
  };
  return eachKind((kind) => {
    if (allowed === false || (allowed !== true && !allowed.includes(kind))) return false;
    const [singletons, scoped] = lists[kind];
    if (scoped.length > 0) throw new KopfBootstrapError([describeScopedGlobals(kind)]);
    return singletons.length > 0;
  });
}

function describeScopedGlobals(kind: EnhancerKind): string {
  return (
    `The option globalEnhancers is for the global ${kind}, but one of them is request-scoped, which works for routes only; ` +
    'put it on the classes of the handlers, or leave this kind out of the option'
  );
}

/** A parameter with a decorator made by `createParamDecorator()`, or with a decorator for requests, which has no factory. */
export interface DecoratedParameter {
  readonly index: number;
  readonly factory?: unknown;
}

/** Finds the decorated parameters of a method. */
export function findParameters(type: object, methodName: string): readonly DecoratedParameter[] {
  const found: unknown = Reflect.getMetadata(PARAMETERS_METADATA, type, methodName);
  return Object.values((found as Record<string, DecoratedParameter> | undefined) ?? {});
}

/** The options of the contexts that are created for the class of a handler. */
export interface ContextsOptions {
  /** The global enhancers that are for handlers. */
  readonly globals: Enhancers;
  /** The wrapper of the pipes of each parameter; the label is the `data` of its decorator. */
  readonly aroundPipes: <T>(label: string | undefined, transform: () => T | Promise<T>) => Promise<T>;
}

const CREATORS: Readonly<Record<EnhancerKind, string>> = {
  guards: 'guardsContextCreator',
  interceptors: 'interceptorsContextCreator',
  pipes: 'pipesContextCreator',
  filters: 'filtersContextCreator',
};

type Members = Record<string, unknown>;

/**
 * Returns the creator of the contexts of a class: Nest's creator, but without the global enhancers that are not for handlers. The creator
 * needs the module to resolve the enhancers' dependencies. For controllers, the module is passed in, as Nest searches providers only, and
 * would silently leave out guards.
 *
 * @throws KopfBootstrapError if this version of Nest does these things in another way, rather than to call handlers without their guards.
 */
export function contextsFor(
  wrapper: InstanceWrapper,
  contexts: ExternalContextCreator,
  modules: ModulesContainer,
  { globals, aroundPipes }: ContextsOptions,
): ExternalContextCreator {
  const own = contexts as unknown as Members;
  const replaced: Members = {};
  for (const kind of ENHANCER_KINDS) {
    const name = CREATORS[kind];
    if (typeof own[name] !== 'object') throw new KopfBootstrapError([describeMissing(wrapper, name)]);
    if (!globals[kind]) replaced[name] = derive(own[name] as object, { config: undefined });
  }
  const consumer = own.pipesConsumer as { apply(value: unknown, metadata: Members, pipes: unknown): Promise<unknown> };
  if (typeof consumer?.apply !== 'function') throw new KopfBootstrapError([describeMissing(wrapper, 'pipesConsumer')]);
  const apply: typeof consumer.apply = (value, metadata, pipes) =>
    aroundPipes(metadata.data as string | undefined, () => consumer.apply(value, metadata, pipes));
  replaced.pipesConsumer = derive(consumer, { apply });
  const key = findControllerModule(wrapper, modules);
  if (key !== undefined) {
    const finders = MODULE_FINDERS.filter((name) => typeof own[name] === 'function');
    if (finders.length === 0) throw new KopfBootstrapError([describeMissingFinders(wrapper)]);
    for (const name of finders) replaced[name] = (): string => key;
  }
  return derive(contexts, replaced);
}

/** Creates an object that is like the other one except for some members. */
function derive<T extends object>(original: T, members: Members): T {
  const properties = Object.entries(members).map(([name, value]) => [name, { value, writable: true }] as const);
  return Object.create(original, Object.fromEntries(properties)) as T;
}

function findControllerModule(wrapper: InstanceWrapper, modules: ModulesContainer): string | undefined {
  for (const [key, { controllers }] of modules) if ([...controllers.values()].includes(wrapper as never)) return key;
  return undefined;
}

function describeMissing({ name }: InstanceWrapper, member: string): string {
  return (
    `${name}: ExternalContextCreator of the installed @nestjs/core has no ${member}, without which enhancers and decorated parameters ` +
    'of handlers do not work; install a version of Nest that nestjs-kopf supports'
  );
}

/** The instance for one invocation of a handler of a request-scoped class. */
export interface ScopedInstance {
  readonly instance: object;
  readonly contextId: ContextId;
}

/**
 * Creates the instance of a request-scoped class for one invocation, with its dependencies; a durable class is taken from the tree that the
 * application's `ContextIdStrategy` chooses for the context.
 *
 * @param context injected as `REQUEST`.
 */
export async function createScopedInstance(wrapper: InstanceWrapper, context: object): Promise<ScopedInstance> {
  const host = wrapper.host!;
  const moduleRef = host.getProviderByKey<ModuleRef>(ModuleRef).instance;
  const contextId = ContextIdFactory.getByRequest(context as Record<string, unknown>);
  const { payload } = contextId as { readonly payload?: unknown };
  moduleRef.registerRequestByContextId(wrapper.isDependencyTreeDurable() ? payload : context, contextId);
  const { injector } = moduleRef as unknown as { readonly injector: { loadPerContext: LoadPerContext } };
  const collection = [...host.controllers.values()].includes(wrapper as never) ? host.controllers : host.providers;
  const instance = await injector.loadPerContext(wrapper.instance as object, host, collection, contextId, wrapper);
  return { instance, contextId };
}

type LoadPerContext = (
  instance: object,
  module: object,
  collection: object,
  contextId: ContextId,
  wrapper: InstanceWrapper,
) => Promise<object>;

function describeMissingFinders({ name }: InstanceWrapper): string {
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

/** A provider with the module that has it, and the names of the modules that import this module. */
export interface FoundInstance<T> {
  readonly instance: T;
  readonly importers: readonly string[];
}

/**
 * Finds the instances of a class in all modules that provide it, under any token, with the modules that import each of them. Each call of
 * `forRoot()` creates another module; a module that is kept and imported in several places is the same.
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

/**
 * Calls a function whenever the application has loaded a module by `LazyModuleLoader`, for which Nest has no hook. An application has one
 * loader.
 *
 * @param onLoaded called after each loading, which waits for it; if it rejects, the loading rejects.
 */
export function onLazyModuleLoaded(loader: LazyModuleLoader, onLoaded: () => Promise<void>): void {
  const load = loader.load.bind(loader);
  loader.load = async (...args) => {
    const loaded = await load(...args);
    await onLoaded();
    return loaded;
  };
}

/**
 * Returns which modules import a lazily loaded module. Nest calls no hooks of such a module when it is ready, and does not measure its
 * distance from the root.
 *
 * @returns the names of the modules that import it; `undefined` if it was loaded with the application.
 */
export function findLazyImporters(reference: ModuleRef, modules: ModulesContainer): readonly string[] | undefined {
  const all = [...modules.values()];
  const own = all.find((each) => each.getProviderByKey<ModuleRef>(ModuleRef)?.instance === reference);
  if (own?.distance !== 0) return undefined;
  return all.filter(({ imports }) => imports.has(own)).map(({ metatype }) => metatype.name);
}

/** The members of a provider or a controller in Nest's container that are used here. */
export interface ModuleMember {
  /** The module that has it among its own providers or controllers. */
  readonly host?: {
    readonly metatype: { readonly name: string };
    readonly imports: ReadonlySet<{ readonly providers: ReadonlyMap<InjectionToken, { readonly instance: unknown }> }>;
  };
}

/** Finds the values of a token in the modules that the module of a provider or a controller imports directly; re-exports do not count. */
export function findImportedValues<T>({ host }: ModuleMember, token: InjectionToken): readonly T[] {
  const imports = [...(host?.imports ?? [])];
  return imports.flatMap(({ providers }) => {
    const provider = providers.get(token);
    return provider ? [provider.instance as T] : [];
  });
}

/** The place of a route in its application. */
export interface RoutePlace {
  readonly config: ApplicationConfig;
  readonly modules: ModulesContainer;
  /** The class of the module, to which `RouterModule` can have given a path. */
  readonly module: object;
}

/** Returns the whole path of a route that all versions of the application have, as Nest's router composes it. */
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
 * Excludes routes from the global prefix of the application, like the option `exclude` of `setGlobalPrefix()`. Must be called before Nest
 * creates the routes, in `configure()` of a module.
 */
export function excludeFromGlobalPrefix({ config, modules, module }: RoutePlace, paths: readonly string[]): void {
  const parent = findModulePath(module, modules.applicationId) ?? '';
  const whole = paths.map((path) => `/${parent}/${path}`.replaceAll(/\/+/g, '/'));
  const { exclude = [], ...options } = config.getGlobalPrefixOptions();
  config.setGlobalPrefixOptions({ ...options, exclude: [...exclude, ...mapToExcludeRoute(whole)] });
}

/** Reads the path that `RouterModule` has left on the class of a module, for this application or for all of them. */
function findModulePath(module: object, applicationId: string): string | undefined {
  const found: unknown =
    Reflect.getMetadata(MODULE_PATH + applicationId, module) ?? Reflect.getMetadata(MODULE_PATH, module);
  return found as string | undefined;
}

/** Whether a controller has guards, by whatever decorators. */
export function hasGuards(controller: Type): boolean {
  const guards = Reflect.getMetadata(GUARDS_METADATA, controller) as readonly unknown[] | undefined;
  return guards !== undefined && guards.length > 0;
}
