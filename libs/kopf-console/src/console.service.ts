import type { IncomingMessage, ServerResponse } from 'node:http';
import { createRequire } from 'node:module';
import { Inject, Injectable, type OnModuleDestroy, type OnModuleInit } from '@nestjs/common';
import { ApplicationConfig, ModuleRef, ModulesContainer } from '@nestjs/core';
import { type ClosableInspection, inspectOperator } from 'nestjs-kopf/inspection';
import { findRoutePath, findServices } from 'nestjs-kopf/tooling';
import {
  KOPF_CONSOLE_ROUTE,
  KOPF_CONSOLE_SETTINGS,
  type CompleteConsoleSettings,
  type ConsoleRoute,
} from './console.options.js';
import { ANY_PATH, CONSOLE_MODULE } from './console.tokens.js';
import { OperatorActions } from './actions/operator.actions.js';
import { ActionGate } from './server/action.gate.js';
import { SignIn } from './server/sign.in.js';
import { ConsoleServer } from './server/console.server.js';

const NO_LOGIN =
  'The console has no login: everyone who reaches it sees the objects of the operator. Give KopfConsoleModule the option signIn ' +
  'or guards, or an empty list of guards if a proxy asks for a login.';

/** The service that serves the console of the application's operators from its start to its end. */
@Injectable()
export class ConsoleService implements OnModuleInit, OnModuleDestroy {
  private inspections: readonly ClosableInspection[] = [];
  private server?: ConsoleServer;
  private base = '';

  constructor(
    @Inject(KOPF_CONSOLE_ROUTE) private readonly route: ConsoleRoute,
    @Inject(KOPF_CONSOLE_SETTINGS) private readonly settings: CompleteConsoleSettings,
    @Inject(CONSOLE_MODULE) private readonly module: object,
    @Inject(ApplicationConfig) private readonly config: ApplicationConfig,
    @Inject(ModulesContainer) private readonly modules: ModulesContainer,
    @Inject(ModuleRef) private readonly application: ModuleRef,
  ) {}

  onModuleInit(): void {
    const { application, route, settings } = this;
    const { actions, signIn: rule, redact, history, traceUrl } = settings;
    const operators = route.operators.map((operator) => {
      const inspection = inspectOperator(application, { operator, redact, history, traceUrl });
      return { inspection, actions: new OperatorActions(inspection, findServices(application, operator)) };
    });
    this.inspections = operators.map(({ inspection }) => inspection);
    const { clock, logger } = findServices(application, route.operators[0]);
    if (!this.hasLogin) logger.warn(NO_LOGIN);
    const gate = new ActionGate(actions, logger);
    const signIn = rule && new SignIn(rule, clock);
    const { hosts } = route;
    this.server = new ConsoleServer({ operators, gate, signIn, clock, logger, version: readVersion(), hosts });
  }

  /** Whether viewers sign in, or guards of the console or of the whole application decide who sees the console. */
  private get hasLogin(): boolean {
    const { config, route, settings } = this;
    if (settings.signIn) return true;
    return route.isGuarded || config.getGlobalGuards().length + config.getGlobalRequestGuards().length > 0;
  }

  /** Ends the streams, which would keep the HTTP server from closing. */
  onModuleDestroy(): void {
    this.server?.close();
    for (const inspection of this.inspections) inspection.close();
  }

  /** Answers a request on any platform. */
  async handle(request: unknown, raw: IncomingMessage, body: unknown, response: ServerResponse): Promise<void> {
    const [pathname, query = ''] = (raw.url ?? '').split('?', 2);
    const path = this.pathBelow(pathname);
    const { method = 'GET' } = raw;
    await this.server!.handle({ method, path, query: new URLSearchParams(query), raw, request, body }, response);
  }

  /** The part of an address below the path of the console. */
  private pathBelow(pathname: string): string {
    const base = this.findBase();
    if (pathname.startsWith(base)) return pathname.slice(base.length);
    // The application can be a part of another one, and exempt some methods from its prefix.
    const own = `/${this.route.path.split('/').filter(Boolean).join('/')}`;
    return pathname.slice(pathname.indexOf(own) + own.length);
  }

  /** The path of the console in the application, with all prefixes. It is final when the first request comes. */
  private findBase(): string {
    if (this.base === '') {
      const place = { config: this.config, modules: this.modules, module: this.module };
      this.base = findRoutePath(place, this.route.path, ANY_PATH).slice(0, -ANY_PATH.length - 1);
    }
    return this.base;
  }
}

function readVersion(): string {
  const { version } = createRequire(import.meta.url)('nestjs-kopf/package.json') as { readonly version: string };
  return version;
}
