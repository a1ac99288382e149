import { Module, type DynamicModule } from '@nestjs/common';
import { KopfModule, type KopfModuleOptions } from 'nestjs-kopf';
import { KopfConsoleModule } from 'nestjs-kopf-console';
import { WebhookAutoServer, WebhookServer } from 'nestjs-kopf/webhooks';
import { KopfHealthModule } from 'nestjs-kopf/health';
import { KopfMetricsModule } from 'nestjs-kopf/metrics';
import { KopfTracingModule } from 'nestjs-kopf/tracing';
import { AppModule, type ApiOptions } from '../app.module.js';
import { Public } from '../auth/public.decorator.js';
import { ItemsModule } from '../items/items.module.js';
import { ItemsOperator } from './items.operator.js';
import { WarehousesController } from './warehouses.controller.js';

/** The API with its operator. */
@Module({ controllers: [WarehousesController], providers: [ItemsOperator] })
export class InventoryModule {
  static register(api: ApiOptions, kopf: KopfModuleOptions = {}): DynamicModule {
    const inPod = { port: 9443, service: { name: 'inventory-api' }, secret: { name: 'inventory-api-webhooks' } };
    const server = process.env.KUBERNETES_SERVICE_HOST ? new WebhookServer(inPod) : new WebhookAutoServer();
    const routes = { globalPrefix: false, decorators: [Public()] };
    return {
      module: InventoryModule,
      imports: [
        AppModule.register(api),
        ItemsModule,
        KopfHealthModule.forRoot({ controller: true, ...routes }),
        KopfMetricsModule.forRoot(routes),
        KopfTracingModule.forRoot(),
        KopfConsoleModule.forRoot({ ...routes, signIn: { admin: api.key } }),
        KopfModule.forFeature({ indices: ['stockByWarehouse'] }),
        KopfModule.forRoot({ namespaces: 'default', admission: { managed: 'inventory.example.com', server }, ...kopf }),
      ],
    };
  }
}
