// console: what the operator is doing, in a browser. A source knows one operator: in operator/, one in this process, by what it holds in memory
// and tells on the channels of diagnostics/. The server in server/ answers requests by asking sources; it knows no framework, and
// the controller is all that knows Nest. api/ has the shapes of the answers, which the page shares.
// It is a leaf: a subpath of the package of its own. The page is in libs/kopf/console/, and is built into the package.
// May import: everything but other leaves.

import { Inject, Module, type DynamicModule, type InjectionToken, type NestModule } from '@nestjs/common';
import { ApplicationConfig, HttpAdapterHost, ModulesContainer } from '@nestjs/core';
import { KubeApi } from '../client/api/api.client.js';
import { EventsClient } from '../client/api/events.client.js';
import { Vault } from '../client/vault/vault.js';
import { KopfPeering } from '../coordination/peering/kopf.peering.js';
import { OperatorIdentity } from '../diagnostics/channels.js';
import { excludeFromGlobalPrefix } from '../discovery/nest.internals.js';
import { IndexRegistry } from '../indexing/index.registry.js';
import { KOPF_CLOCK, KOPF_LOGGER, KOPF_OPTIONS, operatorTokenOf, type OperatorService } from '../kopf.tokens.js';
import { KopfOperator } from '../operator/kopf.operator.js';
import { OperatorLifecycle } from '../operator/operator.lifecycle.js';
import { HandlerRegistry } from '../registry/handler.registry.js';
import { KopfSettings } from '../settings/kopf.settings.js';
import { provideOptions } from '../settings/options.providers.js';
import { WatcherSet } from '../watching/watcher.set.js';
import { AccessReviews } from './access.reviews.js';
import { createConsoleController } from './console.controller.js';
import { checkModuleOptions, completeSettings, createRoute } from './console.option.rules.js';
import {
  KOPF_CONSOLE_ROUTE,
  KOPF_CONSOLE_SETTINGS,
  type ConsoleRoute,
  type KopfConsoleAsyncOptions,
  type KopfConsoleOptions,
} from './console.options.js';
import { ConsoleService } from './console.service.js';
import { ANY_PATH, CONSOLE_MODULE, CONSOLE_SOURCES } from './console.tokens.js';
import type { SourceServices } from './operator/source.services.js';

/** Describes the members of Fastify that are used here; Fastify is no dependency of the package. */
interface Fastify {
  addHook(name: 'onRoute', hook: (route: { url: string }) => void): void;
}

/** The services of an operator that its source reads from, by the names that it has for them. */
const SERVICES: Readonly<Record<keyof SourceServices, OperatorService>> = {
  operator: KopfOperator,
  lifecycle: OperatorLifecycle,
  watchers: WatcherSet,
  registry: HandlerRegistry,
  indices: IndexRegistry,
  settings: KopfSettings,
  options: KOPF_OPTIONS,
  api: KubeApi,
  vault: Vault,
  peering: KopfPeering,
  identity: OperatorIdentity,
  events: EventsClient,
  clock: KOPF_CLOCK,
  logger: KOPF_LOGGER,
};

/**
 * Shows what `KopfModule`'s operator is doing, in a browser: a page, its interface, and, if they are allowed, actions.
 *
 * @example
 * @Module({ imports: [KopfConsoleModule.forRoot({ guards: [AdminGuard] }), KopfModule.forRoot()] })
 * export class AppModule {}
 */
@Module({})
export class KopfConsoleModule implements NestModule {
  /** @internal */
  constructor(
    @Inject(KOPF_CONSOLE_ROUTE) private readonly route: ConsoleRoute,
    @Inject(ApplicationConfig) private readonly config: ApplicationConfig,
    @Inject(ModulesContainer) private readonly modules: ModulesContainer,
    @Inject(HttpAdapterHost) private readonly host: HttpAdapterHost,
  ) {}

  /** @throws KopfOptionsError, some of them when the application starts, if options are wrong. */
  static forRoot(options: KopfConsoleOptions = {}): DynamicModule {
    const { actions, redact, history, traceUrl, ...rest } = options;
    const made = { ...rest, useFactory: () => ({ actions, redact, history, traceUrl }) };
    const isReviewed = Boolean(actions?.allow?.length) && typeof actions?.authorize !== 'function';
    return KopfConsoleModule.create(made, isReviewed);
  }

  /** Does the same as {@link forRoot}, with actions and limits that are made when the application starts. */
  static forRootAsync(options: KopfConsoleAsyncOptions): DynamicModule {
    // Which actions there will be is not known yet.
    return KopfConsoleModule.create(options, true);
  }

  private static create(options: KopfConsoleAsyncOptions, isReviewed: boolean): DynamicModule {
    checkModuleOptions(options);
    const { imports = [], providers = [] } = options;
    const route = createRoute(options);
    return {
      module: KopfConsoleModule,
      imports,
      controllers: [createConsoleController(route.path, options)],
      providers: [
        ...providers,
        { provide: KOPF_CONSOLE_ROUTE, useValue: route },
        { provide: CONSOLE_MODULE, useValue: KopfConsoleModule },
        ...provideOptions(options, {
          provide: KOPF_CONSOLE_SETTINGS,
          module: 'KopfConsoleModule',
          method: 'createKopfConsoleOptions',
          complete: completeSettings,
        }),
        {
          provide: CONSOLE_SOURCES,
          useFactory: (...services: unknown[]) => collectServices(route.operators, services),
          inject: route.operators.flatMap((operator): InjectionToken[] =>
            Object.values(SERVICES).map((service) => operatorTokenOf(operator, service)),
          ),
        },
        ConsoleService,
        ...(isReviewed ? [AccessReviews] : []),
      ],
    };
  }

  /**
   * Prepares the routes before the application makes them.
   *
   * @internal
   */
  configure(): void {
    const { route, config, modules } = this;
    const { httpAdapter } = this.host;
    // A context without a server has none.
    if ((httpAdapter as typeof httpAdapter | undefined)?.getType() === 'fastify') {
      httpAdapter.getInstance<Fastify>().addHook('onRoute', (made) => {
        // Express has names for wildcards, Fastify has not.
        made.url = made.url.replace(ANY_PATH, '*');
      });
    }
    if (route.globalPrefix) return;
    const { path } = route;
    excludeFromGlobalPrefix({ config, modules, module: KopfConsoleModule }, [path, `${path}/${ANY_PATH}`]);
  }
}

/** Puts the injected services, which come in one list, together for each operator. */
function collectServices(operators: readonly string[], services: readonly unknown[]): readonly SourceServices[] {
  const names = Object.keys(SERVICES);
  return operators.map((_, index) => {
    const own = services.slice(index * names.length, (index + 1) * names.length);
    return Object.fromEntries(names.map((name, at) => [name, own[at]])) as unknown as SourceServices;
  });
}
