// #region imports
import { AsyncLocalStorage } from 'node:async_hooks';
import { Injectable, Module, type OnApplicationShutdown, type OnModuleInit } from '@nestjs/common';
import { context, propagation, trace } from '@opentelemetry/api';
import { KopfModule, KubeClient, OnCreate, type ChangeContext } from 'nestjs-kopf';
import { KOPF_CHANNELS, type HandlerMessage } from 'nestjs-kopf/diagnostics';
import { KopfMetricsModule } from 'nestjs-kopf/metrics';
import { KopfTracingModule } from 'nestjs-kopf/tracing';
// #endregion

// #region module
@Module({ imports: [KopfTracingModule.forRoot(), KopfModule.forRoot()] })
export class AppModule {}
// #endregion

// #region own
@Injectable()
export class DiskOperator {
  @OnCreate('disks.example.com')
  async create({ name }: ChangeContext) {
    await trace.getTracer('disks').startActiveSpan('reserve', async (span) => {
      await this.reserve(name);
      span.end();
    });
  }

  private async reserve(name: string): Promise<void> {
    console.log(`Reserving a volume for ${name} ...`);
  }
}
// #endregion

// #region stored
@Module({ imports: [KopfTracingModule.forRoot({ storeTraceparent: true }), KopfModule.forRoot()] })
export class StoredModule {}
// #endregion

// #region writer
@Injectable()
export class DiskService {
  constructor(private readonly client: KubeClient) {}

  async order(name: string): Promise<void> {
    const annotations: Record<string, string> = {};
    propagation.inject(context.active(), annotations);
    const metadata = { name, namespace: 'ns', annotations };
    await this.client.create({ apiVersion: 'example.com/v1', kind: 'Disk', metadata });
  }
}
// #endregion

// #region exemplars
const currentSpan = () => {
  const span = trace.getActiveSpan()?.spanContext();
  return span && { trace_id: span.traceId, span_id: span.spanId };
};

@Module({
  imports: [KopfTracingModule.forRoot(), KopfMetricsModule.forRoot({ exemplars: currentSpan }), KopfModule.forRoot()],
})
export class ExemplarModule {}
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
export class SlowAttemptsModule {}
// #endregion

// #region storage
const attempts = new AsyncLocalStorage<string>();
KOPF_CHANNELS.handlerStart.bindStore(attempts, ({ handler, retry }) => `${handler.id}, attempt ${retry + 1}`);

export const currentAttempt = (): string | undefined => attempts.getStore();
// #endregion

/** Ends what the example of storages has begun, as channels belong to the whole process. */
export const release = (): boolean => KOPF_CHANNELS.handlerStart.unbindStore(attempts);
