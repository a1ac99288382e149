// #region imports
import { Injectable, Module } from '@nestjs/common';
import { KopfModule, KubeClient, OnCreate, type ChangeContext } from 'nestjs-kopf';
import { KopfMetricsModule } from 'nestjs-kopf/metrics';
import { KopfTracingModule } from 'nestjs-kopf/tracing';
import { context, propagation, trace } from '@opentelemetry/api';
// #endregion

// #region module
@Module({ imports: [KopfTracingModule.forRoot(), KopfModule.forRoot()] })
export class AppModule {}
// #endregion

// #region own
@Injectable()
export class ClaimOperator {
  @OnCreate('kopf.dev/v1', 'ephemeralvolumeclaims')
  async create({ name }: ChangeContext) {
    await trace.getTracer('claims').startActiveSpan('reserve', async (span) => {
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
export class ClaimService {
  constructor(private readonly client: KubeClient) {}

  async order(name: string): Promise<void> {
    const annotations: Record<string, string> = {};
    propagation.inject(context.active(), annotations);
    const metadata = { name, namespace: 'ns', annotations };
    await this.client.create({ apiVersion: 'kopf.dev/v1', kind: 'EphemeralVolumeClaim', metadata });
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
