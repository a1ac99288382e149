import {
  Inject,
  Injectable,
  type BeforeApplicationShutdown,
  type OnApplicationBootstrap,
  type OnApplicationShutdown,
  type OnModuleDestroy,
} from '@nestjs/common';
import { Vault } from '../client/vault/vault.js';
import { HandlerExplorer } from '../discovery/handler.explorer.js';
import { OperatorStoppedError } from '../errors/operator-stopped.error.js';
import { KopfOperator } from './kopf.operator.js';
import { KOPF_OPTIONS } from './kopf.tokens.js';
import type { KopfModuleOptions } from './operator.options.js';

/**
 * Ties the operator to the application's life. The only class with hooks:
 *
 * - at the bootstrap, the handlers are explored and the operator starts;
 * - when modules are destroyed, it takes no more events and finishes what it does;
 * - before the shutdown, cleanup handlers run and the last events are sent;
 * - at the shutdown, the connections are closed.
 */
@Injectable()
export class KopfRunner
  implements OnApplicationBootstrap, OnModuleDestroy, BeforeApplicationShutdown, OnApplicationShutdown
{
  readonly #options: KopfModuleOptions;

  constructor(
    @Inject(HandlerExplorer) private readonly explorer: HandlerExplorer,
    @Inject(KopfOperator) private readonly operator: KopfOperator,
    @Inject(Vault) private readonly vault: Vault,
    @Inject(KOPF_OPTIONS) options: KopfModuleOptions,
  ) {
    this.#options = options;
  }

  async onApplicationBootstrap(): Promise<void> {
    this.explorer.explore();
    if (this.#options.enabled ?? true) await this.start();
  }

  async onModuleDestroy(): Promise<void> {
    await this.operator.drain();
  }

  async beforeApplicationShutdown(): Promise<void> {
    await this.operator.stop();
  }

  async onApplicationShutdown(): Promise<void> {
    await this.vault.close();
  }

  private async start(): Promise<void> {
    try {
      await this.operator.start();
    } catch (error) {
      // The application is being closed already.
      if (!(error instanceof OperatorStoppedError)) throw error;
    }
  }
}
