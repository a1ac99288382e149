import { Module, type DynamicModule } from '@nestjs/common';
import { APP_GUARD } from '@nestjs/core';
import { KopfModule, type KopfModuleOptions } from 'nestjs-kopf';
import { API_KEY, ApiKeyGuard } from './auth/api-key.guard.js';
import { ItemsModule } from './items/items.module.js';
import { WarehousesController } from './warehouses/warehouses.controller.js';

/** The API, with an operator in it. */
@Module({})
export class AppModule {
  /** @param key what requests need in the header `x-api-key`. */
  static register(key: string, options: KopfModuleOptions = {}): DynamicModule {
    return {
      module: AppModule,
      // The operator comes last: it starts when the rest is ready, and stops before it.
      imports: [
        ItemsModule,
        KopfModule.forFeature({ indices: ['stockByWarehouse'] }),
        KopfModule.forRoot({ namespaces: 'default', ...options }),
      ],
      controllers: [WarehousesController],
      providers: [
        { provide: API_KEY, useValue: key },
        { provide: APP_GUARD, useClass: ApiKeyGuard },
      ],
    };
  }
}
