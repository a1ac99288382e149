// root: the files beside the folders are the front of the package: the modules, which provide everything to Nest, and index.ts, which
// names what is public. Nothing else belongs there.
// May import: all folders but the leaves.

import { Inject, Module, SetMetadata, type DynamicModule } from '@nestjs/common';
import { DiscoveryModule, ModulesContainer } from '@nestjs/core';
import { KopfBootstrapError } from './common/kopf.errors.js';
import { HANDLERS_MODULE } from './decorators/module.notice.js';
import { HandlerContextCreator } from './discovery/handler-context.creator.js';
import { HandlerMetadataAccessor } from './discovery/handler-metadata.accessor.js';
import { HandlerExplorer } from './discovery/handler.explorer.js';
import { OperatorAssignment } from './discovery/operator.assignment.js';
import { bindToOperator } from './discovery/operator.providers.js';
import { KopfCoreModule, OPERATOR_SERVICES } from './kopf-core.module.js';
import { KopfFeatureModule, type KopfFeatureOptions } from './kopf-feature.module.js';
import type { KopfModuleAsyncOptions } from './kopf-options.providers.js';
import { DEFAULT_OPERATOR } from './kopf.tokens.js';
import { LifecycleHooks } from './operator/lifecycle.hooks.js';
import type { KopfModuleOptions } from './kopf.options.js';

const WITHOUT_OPERATOR =
  'KopfModule is imported without forRoot(), so there is no operator, and no handler would be called: import KopfModule.forRoot() in the root module';

/** Those that find the handlers and follow the application's life. */
const PROVIDERS = [HandlerMetadataAccessor, HandlerContextCreator, OperatorAssignment, HandlerExplorer, LifecycleHooks];

/**
 * Brings an operator into the application: handlers on all of its providers and controllers are found and called.
 *
 * Import it last, once, in the root module: what handlers need is then ready before them, and goes after them. Each further operator, for
 * another cluster, needs a `name`.
 *
 * @example
 * @Module({ imports: [KopfModule.forRoot({ namespaces: ['team-*'] })], providers: [MyOperator] })
 * export class AppModule {}
 */
@SetMetadata(HANDLERS_MODULE, true)
@Module({ imports: [DiscoveryModule] })
export class KopfModule {
  /**
   * Fails the start of an application that imports the class alone, in which no handler would ever be called.
   *
   * @internal
   */
  constructor(@Inject(ModulesContainer) modules: ModulesContainer) {
    const hasOperator = [...modules.values()].some(({ metatype }) => metatype === KopfCoreModule);
    if (!hasOperator) throw new KopfBootstrapError([WITHOUT_OPERATOR]);
  }

  /** @throws KopfOptionsError, when the application starts, if options are wrong. */
  static forRoot(options: KopfModuleOptions = {}): DynamicModule {
    return KopfModule.forRootAsync({ name: options.name, useFactory: () => options });
  }

  /** Does the same as {@link forRoot}, with options that are created when the application starts. */
  static forRootAsync(options: KopfModuleAsyncOptions): DynamicModule {
    const { name = DEFAULT_OPERATOR } = options;
    return {
      module: KopfModule,
      imports: [KopfCoreModule.register(options)],
      providers: bindToOperator(name, PROVIDERS, OPERATOR_SERVICES),
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
