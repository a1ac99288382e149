// #region imports
import { AsyncLocalStorage } from 'node:async_hooks';
import { Injectable, Module, type CanActivate, type ExecutionContext } from '@nestjs/common';
import { KopfModule } from 'nestjs-kopf';
import { KopfMetricsModule } from 'nestjs-kopf/metrics';
import { register } from 'prom-client';

/** Stands for a tracer. */
export const traces = new AsyncLocalStorage<string>();
const currentTrace = () => ({ trace_id: traces.getStore() ?? 'none' });
// #endregion

// #region ready-made
@Module({ imports: [KopfMetricsModule.forRoot(), KopfModule.forRoot()] })
export class AppModule {}
// #endregion

// #region shared-registry
@Module({
  imports: [KopfMetricsModule.forRoot({ controller: false, registry: register }), KopfModule.forRoot()],
})
export class SharedModule {}
// #endregion

// #region guarded
@Injectable()
export class ScrapeGuard implements CanActivate {
  canActivate(context: ExecutionContext): boolean {
    const { headers } = context.switchToHttp().getRequest<{ headers: Record<string, string | undefined> }>();
    return headers.authorization === `Bearer ${process.env.SCRAPE_TOKEN}`;
  }
}

@Module({
  imports: [
    KopfMetricsModule.forRoot({ path: 'ops/metrics', guards: [ScrapeGuard], providers: [ScrapeGuard] }),
    KopfModule.forRoot(),
  ],
})
export class GuardedModule {}
// #endregion

// #region exemplars
@Module({
  imports: [KopfMetricsModule.forRoot({ exemplars: () => currentTrace() }), KopfModule.forRoot()],
})
export class ExemplarModule {}
// #endregion
