import type { Provider } from '@nestjs/common';
import { Test, type TestingModule } from '@nestjs/testing';
import { KopfModule, KopfOperator, type KopfModuleOptions } from 'nestjs-kopf';
import { KOPF_LOGGER } from '../../../libs/kopf/src/kopf.tokens.js';
import { MemoryLogger, SilentLogger } from '../telemetry/memory.logger.js';

/** An operator in this process, in real time. */
export class LocalOperator {
  private constructor(
    private readonly module: TestingModule,
    readonly logger: MemoryLogger,
  ) {}

  /** Starts an operator with the handlers of a class; rejects if it cannot start. */
  static async start(handlers: Provider, options: KopfModuleOptions): Promise<LocalOperator> {
    const logger = new MemoryLogger();
    const imports = [KopfModule.forRoot({ required: true, ...options })];
    const module = await Test.createTestingModule({ imports, providers: [handlers] })
      .overrideProvider(KOPF_LOGGER)
      .useValue(logger)
      .setLogger(new SilentLogger())
      .compile();
    const operator = new LocalOperator(module, logger);
    try {
      await module.init();
    } catch (error) {
      await module.close();
      throw error;
    }
    return operator;
  }

  ready(): Promise<void> {
    return this.module.get(KopfOperator).ready();
  }

  get<T>(provider: abstract new (...args: any[]) => T): T {
    return this.module.get(provider as never);
  }

  stop(): Promise<void> {
    return this.module.close();
  }
}
