// #region imports
import {
  Controller,
  Get,
  Injectable,
  Module,
  Post,
  UseInterceptors,
  type CallHandler,
  type ExecutionContext,
  type NestInterceptor,
} from '@nestjs/common';
import { APP_INTERCEPTOR, LazyModuleLoader } from '@nestjs/core';
import {
  KOPF_CONTEXT_TYPE,
  KopfModule,
  KopfOperator,
  KopfRegistry,
  KopfWatcher,
  OnCreate,
  OnEvent,
  type ChangeContext,
  type EventContext,
} from 'nestjs-kopf';
import { finalize } from 'rxjs';
// #endregion

// #region service
@Injectable()
export class PodsService {
  private readonly names = new Map<string, string>();

  @OnEvent('pods.v1')
  note({ type, uid, name }: EventContext) {
    if (type === 'DELETED') this.names.delete(uid);
    else this.names.set(uid, name);
  }

  list() {
    return [...this.names.values()].sort();
  }
}

@Controller('pods')
export class PodsController {
  constructor(private readonly pods: PodsService) {}

  @Get()
  list() {
    return this.pods.list();
  }
}

@Module({ imports: [KopfModule.forRoot()], providers: [PodsService], controllers: [PodsController] })
export class AppModule {}
// #endregion

// #region control
@Controller('operator')
export class OperatorController {
  constructor(
    private readonly operator: KopfOperator,
    private readonly watcher: KopfWatcher,
    private readonly registry: KopfRegistry,
  ) {}

  @Post('start')
  async start() {
    await this.operator.start();
    await this.operator.ready();
  }

  @Post('stop')
  stop() {
    return this.operator.stop();
  }

  @Get()
  describe() {
    const { state, objects, daemons } = this.operator;
    const watches = this.watcher.states.map(({ resource, state: watch }) => `${resource.plural}: ${watch}`);
    return { state, objects, daemons, watches, handlers: this.registry.describe().map(({ source }) => source) };
  }
}

@Module({
  imports: [KopfModule.forRoot({ enabled: false })],
  providers: [PodsService],
  controllers: [OperatorController],
})
export class ManualModule {}
// #endregion

// #region lazy
@Injectable()
export class ReportsOperator {
  @OnCreate('kopfexamples.kopf.dev')
  report({ name, logger }: ChangeContext) {
    logger.log(`${name} is reported`);
  }
}

@Module({ providers: [ReportsOperator] })
export class ReportsModule {}

@Injectable()
export class ReportsService {
  constructor(private readonly modules: LazyModuleLoader) {}

  async enable() {
    await this.modules.load(() => ReportsModule);
  }
}
// #endregion

// #region interceptor
@Injectable()
export class CountingInterceptor implements NestInterceptor {
  readonly calls: string[] = [];

  intercept(context: ExecutionContext, next: CallHandler) {
    if (context.getType<string>() !== KOPF_CONTEXT_TYPE) return next.handle();
    const [{ name }] = context.getArgs<[ChangeContext]>();
    return next.handle().pipe(finalize(() => this.calls.push(`${context.getHandler().name} of ${name}`)));
  }
}

@Injectable()
@UseInterceptors(CountingInterceptor)
export class CountedOperator {
  @OnCreate('kopfexamples.kopf.dev')
  create({ name }: ChangeContext) {
    return `made ${name}`;
  }
}
// #endregion

// #region globals
@Injectable()
export class TimingInterceptor implements NestInterceptor {
  readonly timed: string[] = [];

  intercept(context: ExecutionContext, next: CallHandler) {
    const name = `${context.getType<string>()}: ${context.getClass().name}.${context.getHandler().name}`;
    return next.handle().pipe(finalize(() => this.timed.push(name)));
  }
}

@Module({
  imports: [KopfModule.forRoot({ globalEnhancers: ['interceptors'] })],
  providers: [PodsService, TimingInterceptor, { provide: APP_INTERCEPTOR, useExisting: TimingInterceptor }],
})
export class TimedModule {}
// #endregion
