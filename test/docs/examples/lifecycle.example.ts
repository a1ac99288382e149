// #region imports
import { Controller, Get, Injectable, Module, type OnApplicationShutdown, type OnModuleInit } from '@nestjs/common';
import {
  KopfModule,
  KopfOperator,
  OnCleanup,
  OnCreate,
  OnEvent,
  OnLogin,
  OnStartup,
  OnUpdate,
  TemporaryError,
  type ActivityContext,
  type ChangeContext,
  type ConnectionInfo,
  type EventContext,
  type LoginContext,
} from 'nestjs-kopf';
import { KopfHealthModule } from 'nestjs-kopf/health';
// #endregion

// #region startup
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

  @OnCreate('disks.example.com')
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
export class RowsModule {}
// #endregion

// #region default
@Controller('items')
export class ItemsController {
  @Get()
  list() {
    return ['bolts', 'nuts'];
  }
}

@Injectable()
export class ItemsOperator {
  readonly seen: string[] = [];

  @OnEvent('disks.example.com')
  note({ name }: EventContext) {
    this.seen.push(name);
  }
}

@Module({
  imports: [KopfHealthModule.forRoot({ controller: true }), KopfModule.forRoot()],
  controllers: [ItemsController],
  providers: [ItemsOperator],
})
export class AppModule {}
// #endregion

// #region required
@Module({ imports: [KopfModule.forRoot({ required: true })], providers: [ItemsOperator] })
export class OperatorModule {}
// #endregion

// #region manual
@Injectable()
export class WorkOperator {
  @OnCreate('disks.example.com')
  @OnUpdate('disks.example.com')
  work({ name, logger }: ChangeContext) {
    logger.log(`${name} is being worked on.`);
  }
}

@Module({ imports: [KopfModule.forRoot({ enabled: false })], providers: [WorkOperator] })
export class ManualModule {}

@Injectable()
export class Switch {
  constructor(private readonly operator: KopfOperator) {}

  async on() {
    await this.operator.start();
    await this.operator.ready();
  }

  off() {
    return this.operator.stop();
  }

  async restart() {
    await this.off();
    await this.on();
  }
}
// #endregion

// #region pause
@Injectable()
export class Maintenance {
  constructor(private readonly operator: KopfOperator) {}

  begin() {
    this.operator.pause('The database is being moved.');
  }

  end() {
    this.operator.resume();
  }
}
// #endregion

// #region login
@Injectable()
export class TokenOperator {
  @OnLogin({ retries: 3, backoff: 10 })
  async login({ withServiceAccount, withKubeConfig }: LoginContext) {
    return (await withServiceAccount()) ?? (await withKubeConfig());
  }
}

@Injectable()
export class OwnLoginOperator {
  @OnLogin()
  async login(): Promise<ConnectionInfo> {
    const { token, seconds } = await fetchToken();
    return {
      server: 'https://cluster.example.com:6443',
      token,
      expiration: new Date(Date.now() + seconds * 1000),
    };
  }
}

async function fetchToken() {
  return { token: 'from-somewhere', seconds: 3600 };
}
// #endregion
