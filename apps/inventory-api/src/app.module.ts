import { Module, type DynamicModule } from '@nestjs/common';
import { APP_GUARD } from '@nestjs/core';
import { ScheduleModule } from '@nestjs/schedule';
import { TerminusModule } from '@nestjs/terminus';
import { API_KEY, ApiKeyGuard } from './auth/api-key.guard.js';
import { connectDatabase } from './database/database.module.js';
import { HealthController } from './health/health.controller.js';
import { ItemsModule } from './items/items.module.js';
import { ReportsModule } from './reports/reports.module.js';

/** The options of the API. */
export interface ApiOptions {
  /** The key that requests need in the header `x-api-key`. */
  readonly key: string;
  /** The file of the database. @default none: it is in memory only */
  readonly database?: string;
}

/** The API, which knows nothing of clusters. */
@Module({})
export class AppModule {
  static register({ key, database }: ApiOptions): DynamicModule {
    return {
      module: AppModule,
      imports: [connectDatabase(database), ScheduleModule.forRoot(), TerminusModule, ItemsModule, ReportsModule],
      controllers: [HealthController],
      providers: [
        { provide: API_KEY, useValue: key },
        { provide: APP_GUARD, useClass: ApiKeyGuard },
      ],
    };
  }
}
