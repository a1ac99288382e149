import {
  Inject,
  Injectable,
  type BeforeApplicationShutdown,
  type OnApplicationBootstrap,
  type OnApplicationShutdown,
  type OnModuleDestroy,
  type OnModuleInit,
} from '@nestjs/common';
import { Vault } from '../client/vault/vault.js';
import { ConversionGraphs } from '../conversion/conversion.graphs.js';
import { ApplicationExplorer } from '../discovery/application.explorer.js';
import { OperatorStoppedError } from './operator-stopped.error.js';
import { OperatorLifecycle } from './operator.lifecycle.js';
import { ActivityKind } from '../registry/handler.js';
import { HandlerRegistry } from '../registry/handler.registry.js';
import { isStartError } from './start.retries.js';
import type { KopfLogger } from '../common/kopf.logger.js';
import { InjectOwn, KOPF_LOGGER, KOPF_OPTIONS } from '../kopf.tokens.js';
import type { KopfModuleOptions } from '../kopf.options.js';

const NO_HANDLERS =
  'There are no handlers, so the operator does nothing: add the classes with decorated methods to the providers of a module that ' +
  'the application imports; or set enabled: false if KopfModule is only there for its clients.';

/**
 * Ties the operator to the application's life. The only class with hooks:
 *
 * - when modules are initialised, the handlers are explored, so that no operator of the application starts if any of them is wrong;
 *   those of modules that are loaded lazily follow when they come;
 * - at the bootstrap, the operator starts: in the background, unless it is required;
 * - when modules are destroyed, it takes no more events and finishes what it does;
 * - before the shutdown, cleanup handlers run and the last events are sent;
 * - at the shutdown, the connections are closed.
 */
@Injectable()
export class LifecycleHooks
  implements OnModuleInit, OnApplicationBootstrap, OnModuleDestroy, BeforeApplicationShutdown, OnApplicationShutdown
{
  readonly #options: KopfModuleOptions;

  constructor(
    @Inject(ApplicationExplorer) private readonly explorer: ApplicationExplorer,
    @InjectOwn(ConversionGraphs) private readonly conversions: ConversionGraphs,
    @InjectOwn(HandlerRegistry) private readonly registry: HandlerRegistry,
    @InjectOwn(OperatorLifecycle) private readonly operator: OperatorLifecycle,
    @InjectOwn(Vault) private readonly vault: Vault,
    @InjectOwn(KOPF_OPTIONS) options: KopfModuleOptions,
    @InjectOwn(KOPF_LOGGER) private readonly logger: KopfLogger,
  ) {
    this.#options = options;
  }

  async onModuleInit(): Promise<void> {
    await this.explorer.explore(
      () => this.operator.state !== 'idle' && this.operator.state !== 'stopped',
      (warning) => this.logger.warn(warning),
    );
    await this.conversions.check();
    if (this.isEnabled && this.registry.describe().length === 0) this.logger.warn(NO_HANDLERS);
  }

  async onApplicationBootstrap(): Promise<void> {
    if (this.isEnabled) await this.start();
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

  private get isEnabled(): boolean {
    return this.#options.enabled ?? true;
  }

  /**
   * Starts the operator, and waits for it if the application requires it. Errors in options and declarations end the start of the
   * application in any case.
   */
  private async start(): Promise<void> {
    const { operator } = this;
    const started = operator.start();
    try {
      if (operator.required) return await started;
      started.catch(() => undefined);
      // Only startup handlers change the settings, and they can take any time.
      const isChecked = this.registry.activitiesOf(ActivityKind.STARTUP).length === 0;
      if (isChecked) await Promise.race([started, operator.prepared]);
    } catch (error) {
      // The application is being closed already.
      if (error instanceof OperatorStoppedError) return;
      if (operator.required || isStartError(error)) throw error;
    }
  }
}
