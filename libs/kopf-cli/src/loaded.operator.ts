import { Module, type DynamicModule, type ForwardReference, type Provider, type Type } from '@nestjs/common';
import { hasHandlers, KOPF_OPTIONS, KopfCoreModule } from 'nestjs-kopf/tooling';
import { KopfModule, type KopfModuleOptions } from 'nestjs-kopf';
import type { CliEnvironment } from './cli.environment.js';
import { CommandError, UsageError } from './exit.codes.js';
import type { LoadedFiles } from './loaded.files.js';
import { ModuleLoader, type LoadedModule } from './module.loader.js';
import type { ApplicationSetup } from './served.application.js';

/** The operator that the user's files hold: Nest modules, or classes with handlers without any module. */
export interface LoadedOperator {
  readonly modules: readonly (Type | DynamicModule)[];
  /** Handlers, and the other injectable classes that the files export. */
  readonly providers: readonly Type[];
  /** What the files export as `configure`: for an application that is served. */
  readonly setups: readonly ApplicationSetup[];
}

type Import = Type | DynamicModule | Promise<DynamicModule> | ForwardReference;

/** The members of `@Module()`, which Nest keeps under these keys. */
const MODULE_KEYS = ['imports', 'providers', 'controllers', 'exports'] as const;
/** By which Nest knows classes with `@Injectable()`. */
const INJECTABLE = '__injectable__';

/**
 * Loads an operator from files and packages, as `kopf run` takes them: the first of a default export, `AppModule`, and all other exports
 * that holds a Nest module; without any, the exported classes with handlers.
 *
 * @param files remembers what is loaded.
 * @throws UsageError if nothing was named, or does not exist; CommandError if a file cannot be loaded, or holds no operator.
 */
export async function loadOperator(
  paths: readonly string[],
  packages: readonly string[],
  environment: CliEnvironment,
  files?: LoadedFiles,
): Promise<LoadedOperator> {
  if (paths.length + packages.length === 0) {
    throw new UsageError('Name a file that exports a Nest module or classes with handlers.');
  }
  const loader = new ModuleLoader(environment, files);
  const sources: LoadedOperator[] = [];
  // One after the other, so that errors are those of the first file that is wrong.
  for (const path of paths) sources.push(findOperator(await loader.loadFile(path)));
  for (const name of packages) sources.push(findOperator(await loader.loadPackage(name)));
  return {
    modules: sources.flatMap(({ modules }) => modules),
    providers: [...new Set(sources.flatMap(({ providers }) => providers))],
    setups: sources.flatMap(({ setups }) => setups),
  };
}

/** @throws CommandError if the module exports neither. */
export function findOperator({ name, exports }: LoadedModule): LoadedOperator {
  const members = [exports.default, exports.AppModule, ...Object.values(exports)];
  const root = members.find(isModule);
  const { configure } = exports;
  const setups = typeof configure === 'function' && !isClass(configure) ? [configure as ApplicationSetup] : [];
  if (root) return { modules: [root], providers: [], setups };
  const classes = [...new Set(members)].filter(isClass);
  const providers = classes.filter((type) => hasHandlers(type) || Reflect.hasMetadata(INJECTABLE, type));
  if (classes.some(hasHandlers)) return { modules: [], providers, setups };
  const found = Object.keys(exports).join(', ') || 'nothing';
  throw new CommandError(`${name} exports neither a Nest module nor a class with handlers, but ${found}.`);
}

function isClass(value: unknown): value is Type {
  return typeof value === 'function' && /^class\b/.test(Function.prototype.toString.call(value));
}

function isModule(value: unknown): value is Type | DynamicModule {
  if (typeof value === 'object' && value !== null && 'module' in value) return isClass(value.module);
  return isClass(value) && MODULE_KEYS.some((key) => Reflect.hasMetadata(key, value));
}

/** The function that changes the options of the operators, wherever in the user's modules they are given. */
export type OptionsChange = (given: KopfModuleOptions) => KopfModuleOptions;

/** The root module of a command, which holds the user's modules and classes. */
@Module({})
class CommandModule {}

/**
 * Makes a Nest module of the operator. A `KopfModule` is added if the user has none.
 *
 * @param change is applied to the options of each `KopfModule`.
 * @param extra more providers for the operator.
 */
export async function createRootModule(
  { modules, providers }: LoadedOperator,
  change: OptionsChange = (given) => given,
  extra: { readonly providers?: readonly Provider[]; readonly kopfProviders?: readonly Provider[] } = {},
): Promise<DynamicModule> {
  const own = await findKopfModules(modules);
  const kopf = own.length > 0 ? own : [KopfModule.forRoot()];
  for (const module of kopf) changeOptions(module, change, extra.kopfProviders ?? []);
  return {
    module: CommandModule,
    imports: [...modules, ...(own.length > 0 ? [] : kopf)],
    providers: [...providers, ...(extra.providers ?? [])],
  };
}

/** Finds what `KopfModule.forRoot()` has returned, in the imports of the modules and of those that they import. */
async function findKopfModules(modules: readonly Import[], seen = new Set<unknown>()): Promise<DynamicModule[]> {
  const found: DynamicModule[] = [];
  for (const each of modules) {
    const resolved = await each;
    const module = 'forwardRef' in resolved ? (resolved.forwardRef() as Type) : resolved;
    if (seen.has(module)) continue;
    seen.add(module);
    const type = isClass(module) ? module : module.module;
    if (type === KopfModule && !isClass(module)) found.push(module);
    const imports = (Reflect.getMetadata('imports', type) ?? []) as readonly Import[];
    found.push(...(await findKopfModules([...imports, ...(isClass(module) ? [] : (module.imports ?? []))], seen)));
  }
  return found;
}

function changeOptions(kopf: DynamicModule, change: OptionsChange, more: readonly Provider[]): void {
  const core = kopf.imports?.find((each) => 'module' in each && each.module === KopfCoreModule) as DynamicModule;
  core.providers = core.providers?.map((provider): Provider => {
    if (typeof provider === 'function' || !('useFactory' in provider) || !isOptionsToken(provider.provide))
      return provider;
    const create = provider.useFactory as (...args: unknown[]) => Promise<KopfModuleOptions>;
    return { ...provider, useFactory: async (...args: unknown[]) => change(await create(...args)) };
  });
  kopf.providers = [...(kopf.providers ?? []), ...more];
}

/** Operators with names have tokens with these names. */
function isOptionsToken(token: unknown): boolean {
  return token === KOPF_OPTIONS || (typeof token === 'string' && token.startsWith(`${KOPF_OPTIONS.description} `));
}
