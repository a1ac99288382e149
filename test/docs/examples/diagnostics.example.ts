// #region imports
import { AsyncLocalStorage } from 'node:async_hooks';
import { Injectable, Module, type OnApplicationShutdown, type OnModuleInit } from '@nestjs/common';
import { KopfModule } from 'nestjs-kopf';
import { KOPF_CHANNELS, type HandlerMessage } from 'nestjs-kopf/diagnostics';
// #endregion

// #region slow-handlers
/** Reports attempts of handlers that have taken longer than they should. */
@Injectable()
export class SlowAttempts implements OnModuleInit, OnApplicationShutdown {
  readonly reports: string[] = [];

  private readonly note = ({ handler, duration = 0 }: HandlerMessage): void => {
    if (duration > 10) this.reports.push(`${handler.id} took ${duration} seconds`);
  };

  onModuleInit() {
    KOPF_CHANNELS.handlerEnd.subscribe(this.note);
  }

  onApplicationShutdown() {
    KOPF_CHANNELS.handlerEnd.unsubscribe(this.note);
  }
}

@Module({ imports: [KopfModule.forRoot()], providers: [SlowAttempts] })
export class AppModule {}
// #endregion

// #region storage
const attempts = new AsyncLocalStorage<string>();
KOPF_CHANNELS.handlerStart.bindStore(attempts, ({ handler, retry }) => `${handler.id}, attempt ${retry + 1}`);

export const currentAttempt = (): string | undefined => attempts.getStore();
// #endregion

/** Ends what the example of storages has begun, as channels belong to the whole process. */
export const release = (): boolean => KOPF_CHANNELS.handlerStart.unbindStore(attempts);
