// What the operator is doing, in a browser. It reads inspections, and knows nothing else of operators; what viewers have done to them is in
// actions/. The server in server/ answers requests; it knows no framework, and the controller is all that knows Nest. api/ has the shapes of
// actions and of the stream, which the page shares.
// The page is in ../page, and is built into the package.

import { Inject, Module, type DynamicModule, type NestModule, type Type } from '@nestjs/common';
import { ApplicationConfig, HttpAdapterHost, ModulesContainer } from '@nestjs/core';
import { excludeFromGlobalPrefix, hasGuards, provideOptions, requireOperators } from 'nestjs-kopf/tooling';
import { AccessReviews, PodLogReads } from './access.reviews.js';
import { createConsoleController } from './console.controller.js';
import {
  checkModuleOptions,
  completeSettings,
  createRoute,
  DEFAULT_PATH,
  SYNC_OPTIONS,
} from './console.option.rules.js';
import {
  KOPF_CONSOLE_ROUTE,
  KOPF_CONSOLE_SETTINGS,
  type ConsoleRoute,
  type KopfConsoleAsyncOptions,
  type KopfConsoleOptions,
} from './console.options.js';
import { ConsoleService } from './console.service.js';
import { ANY_PATH, CONSOLE_MODULE } from './console.tokens.js';

/** The members of Fastify that are used here; Fastify is no dependency of the package. */
interface Fastify {
  addHook(name: 'onRoute', hook: (route: { url: string }) => void): void;
}

/**
 * The module that shows what `KopfModule`'s operator is doing, in a browser: a page, its interface, and, if they are allowed, actions.
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
    const { actions, signIn, redact, history, traceUrl, ...rest } = options;
    const made = { ...rest, useFactory: () => ({ actions, signIn, redact, history, traceUrl }) };
    const isReviewed = Boolean(actions?.allow?.length) && typeof actions?.authorize !== 'function';
    const needs = [...(isReviewed ? [AccessReviews] : []), ...(actions?.allow?.includes('logs') ? [PodLogReads] : [])];
    return KopfConsoleModule.create(made, needs, SYNC_OPTIONS);
  }

  /** Does the same as {@link forRoot}, with actions and limits that are made when the application starts. */
  static forRootAsync(options: KopfConsoleAsyncOptions): DynamicModule {
    // Which actions there will be is not known yet.
    return KopfConsoleModule.create(options, [AccessReviews]);
  }

  private static create(
    options: KopfConsoleAsyncOptions,
    needs: readonly Type[],
    known?: readonly string[],
  ): DynamicModule {
    checkModuleOptions(options, known);
    const { imports = [], providers = [] } = options;
    const controller = createConsoleController(options.path ?? DEFAULT_PATH, options);
    const route = createRoute(options, options.guards !== undefined || hasGuards(controller));
    return {
      module: KopfConsoleModule,
      imports,
      controllers: [controller],
      providers: [
        requireOperators('KopfConsoleModule', route.operators),
        ...providers,
        { provide: KOPF_CONSOLE_ROUTE, useValue: route },
        { provide: CONSOLE_MODULE, useValue: KopfConsoleModule },
        ...provideOptions(options, {
          provide: KOPF_CONSOLE_SETTINGS,
          module: 'KopfConsoleModule',
          method: 'createKopfConsoleOptions',
          complete: completeSettings,
        }),
        ConsoleService,
        ...needs,
      ],
    };
  }

  /** Prepares the routes; Nest calls it before the application makes them. */
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
