// #region imports
import { Injectable, Module, type OnApplicationShutdown, type OnModuleInit } from '@nestjs/common';
import {
  KopfModule,
  OnCleanup,
  OnCreate,
  OnStartup,
  TemporaryError,
  type ActivityContext,
  type ChangeContext,
} from 'nestjs-kopf';
// #endregion

// #region operator
@Injectable()
export class LicenceOperator {
  @OnStartup({ retries: 5, timeout: 60 })
  check({ retry, logger }: ActivityContext) {
    if (retry === 0) throw new TemporaryError('The licence server is not ready.', { delay: 5 });
    logger.log('The licence is valid.');
  }

  @OnCleanup()
  leave({ logger }: ActivityContext) {
    logger.log('The licence is given back.');
  }
}
// #endregion

// #region resources
@Injectable()
export class Database implements OnModuleInit, OnApplicationShutdown {
  readonly rows: string[] = [];
  isOpen = false;

  onModuleInit() {
    this.isOpen = true;
  }

  onApplicationShutdown() {
    this.isOpen = false;
  }

  insert(row: string) {
    if (!this.isOpen) throw new Error('The database is closed.');
    this.rows.push(row);
  }
}

@Injectable()
export class RowsOperator {
  constructor(private readonly database: Database) {}

  @OnCreate('kopfexamples.kopf.dev')
  create({ name }: ChangeContext) {
    this.database.insert(name);
  }

  @OnCleanup()
  close() {
    this.database.insert('the end');
  }
}

@Module({ providers: [Database], exports: [Database] })
export class DatabaseModule {}

@Module({ imports: [DatabaseModule, KopfModule.forRoot()], providers: [RowsOperator, LicenceOperator] })
export class AppModule {}
// #endregion
