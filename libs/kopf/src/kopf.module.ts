// root: the files beside the folders are the front of the package: the modules, which provide everything to Nest, and index.ts, which
// exports what is public. Nothing else belongs there.
// May import: all folders but the leaves.

import { Inject, Module, SetMetadata, type DynamicModule, type Provider } from '@nestjs/common';
import { DiscoveryModule, ModuleRef, ModulesContainer } from '@nestjs/core';
import { KopfBootstrapError } from './common/kopf.errors.js';
import { HANDLERS_MODULE } from './decorators/module.notice.js';
import { ApplicationExplorer } from './discovery/application.explorer.js';
import { HandlerContextCreator } from './discovery/handler-context.creator.js';
import { HandlerMetadataAccessor } from './discovery/handler-metadata.accessor.js';
import { HandlerExplorer } from './discovery/handler.explorer.js';
import { findLazyImporters } from './discovery/nest.internals.js';
import { OperatorAssignment } from './discovery/operator.assignment.js';
import { provideOwn, provideService } from './discovery/operator.providers.js';
import { KopfCoreModule } from './kopf-core.module.js';
import { KopfFeatureModule, type KopfFeatureOptions } from './kopf-feature.module.js';
import type { KopfModuleAsyncOptions } from './kopf-options.providers.js';
import { IndexRegistry } from './indexing/index.registry.js';
import { Vault } from './client/vault/vault.js';
import { ConversionGraphs } from './conversion/conversion.graphs.js';
import { DEFAULT_OPERATOR, KOPF_LOGGER, KOPF_OPERATOR_NAME, KOPF_OPTIONS, ownTokenOf } from './kopf.tokens.js';
import { LifecycleHooks } from './operator/lifecycle.hooks.js';
import { OperatorLifecycle } from './operator/operator.lifecycle.js';
import { HandlerRegistry } from './registry/handler.registry.js';
import { KopfSettings } from './settings/kopf.settings.js';
import type { KopfModuleOptions } from './kopf.options.js';

const WITHOUT_OPERATOR =
  'KopfModule is imported without forRoot(), so there is no operator, and no handler would be called: import KopfModule.forRoot() in the root module';

/** The token of the check whether the module is loaded lazily. */
const LOADED_LAZILY = Symbol('nestjs-kopf:loaded-lazily');

/**
 * Rejects the loading by `LazyModuleLoader` of a module with an operator: the operator would never start, as Nest calls no hooks of the
 * module.
 */
function refuseLazyOperator({ enabled }: KopfModuleOptions, own: ModuleRef, modules: ModulesContainer): void {
  const importers = enabled === false ? undefined : findLazyImporters(own, modules);
  if (!importers) return;
  throw new KopfBootstrapError([
    `KopfModule.forRoot() is imported by ${importers.join(', ') || 'no module'} and loaded lazily, so its operator would never start: import ` +
      'it in the root module, where it calls the handlers of modules that are loaded lazily, too; or set enabled: false if it is ' +
      'there for its clients only',
  ]);
}

/** The providers that find the handlers, and those that react to the application's lifecycle. */
const PROVIDERS: Provider[] = [
  HandlerMetadataAccessor,
  HandlerContextCreator,
  OperatorAssignment,
  ApplicationExplorer,
  LifecycleHooks,
  {
    provide: LOADED_LAZILY,
    useFactory: refuseLazyOperator,
    inject: [ownTokenOf(KOPF_OPTIONS), ModuleRef, ModulesContainer],
  },
];

/** The services of the operator that these classes inject. */
const SERVICES = [
  HandlerExplorer,
  HandlerRegistry,
  ConversionGraphs,
  OperatorLifecycle,
  Vault,
  IndexRegistry,
  KOPF_LOGGER,
  KOPF_OPERATOR_NAME,
  KOPF_OPTIONS,
  KopfSettings,
];

/**
 * The module that adds an operator to the application: it finds and calls the handlers on all providers and controllers.
 *
 * Import it last, once, in the root module: providers that handlers need are then ready before the operator starts, and destroyed after it
 * has stopped. Each further operator, for another cluster, needs a `name`.
 *
 * @example
 * @Module({ imports: [KopfModule.forRoot({ namespaces: ['team-*'] })], providers: [MyOperator] })
 * export class AppModule {}
 */
@SetMetadata(HANDLERS_MODULE, true)
@Module({ imports: [DiscoveryModule] })
export class KopfModule {
  /**
   * Rejects an application that imports the class alone, as no handler would ever be called.
   *
   * @internal
   */
  constructor(@Inject(ModulesContainer) modules: ModulesContainer) {
    const hasOperator = [...modules.values()].some(({ metatype }) => metatype === KopfCoreModule);
    if (!hasOperator) throw new KopfBootstrapError([WITHOUT_OPERATOR]);
  }

  /** @throws KopfOptionsError, when the application starts, if options are invalid. */
  static forRoot(options: KopfModuleOptions = {}): DynamicModule {
    return KopfModule.forRootAsync({ name: options.name, useFactory: () => options });
  }

  /** Does the same as {@link forRoot}, with options that are created when the application starts. */
  static forRootAsync(options: KopfModuleAsyncOptions): DynamicModule {
    const { name = DEFAULT_OPERATOR } = options;
    return {
      module: KopfModule,
      imports: [KopfCoreModule.register(options)],
      providers: [provideService(name, HandlerExplorer), ...PROVIDERS, ...provideOwn(name, SERVICES)],
    };
  }

  /**
   * Provides indices and typed APIs to the module that imports it, for `@InjectIndex()` and `@InjectKubeApi()`.
   *
   * @example
   * @Module({ imports: [KopfModule.forFeature({ indices: ['podsByNode'], apis: [CoreV1Api] })], providers: [NodesService] })
   * export class NodesModule {}
   */
  static forFeature(options: KopfFeatureOptions): DynamicModule {
    return KopfFeatureModule.register(options);
  }
}
