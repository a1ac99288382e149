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
import { HealthCheck, HealthCheckService, TerminusModule } from '@nestjs/terminus';
import {
  AdmissionError,
  ForOperator,
  Index,
  InjectIndex,
  InjectOperator,
  KOPF_CONTEXT_TYPE,
  KopfAdmissionModule,
  KopfModule,
  KopfOperator,
  KopfRegistry,
  KopfWatcher,
  KubeClient,
  OnCreate,
  OnEvent,
  Validate,
  type AdmissionContext,
  type ChangeContext,
  type EventContext,
  type IndexContext,
  type ReadonlyIndex,
} from 'nestjs-kopf';
import { KopfHealthIndicator, KopfHealthModule } from 'nestjs-kopf/health';
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
  @OnCreate('disks.example.com')
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
  @OnCreate('disks.example.com')
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

// #region clusters
@Injectable()
export class MainOperator {
  @OnCreate('disks.example.com')
  create({ name, logger }: ChangeContext) {
    logger.log(`${name} was created in the main cluster.`);
  }
}

@Injectable()
@ForOperator('edge')
export class EdgeOperator {
  @OnCreate('disks.example.com')
  create({ name, logger }: ChangeContext) {
    logger.log(`${name} was created in the edge cluster.`);
  }
}

@Module({
  imports: [
    KopfModule.forRoot({ credentials: '/etc/clusters/main.yaml' }),
    KopfModule.forRoot({ name: 'edge', credentials: '/etc/clusters/edge.yaml', namespaces: 'shops' }),
  ],
  providers: [MainOperator, EdgeOperator],
})
export class TwoClustersModule {}
// #endregion

// #region both
@Injectable()
export class AuditOperator {
  readonly seen: string[] = [];

  @OnCreate('disks.example.com')
  audit({ name }: ChangeContext) {
    this.seen.push(name);
  }
}

@Injectable()
@ForOperator('edge')
export class EdgeAuditOperator extends AuditOperator {}
// #endregion

// #region services
@Injectable()
export class DisksOperator {
  @Index('disks.example.com', { operator: 'edge' })
  examples({ name }: IndexContext) {
    return { [name]: name };
  }
}

@Controller('clusters')
export class ClustersController {
  constructor(
    private readonly main: KopfOperator,
    @InjectOperator('edge') private readonly edge: KopfOperator,
    @InjectOperator('edge', KubeClient) private readonly client: KubeClient,
    @InjectIndex('examples', 'edge') private readonly examples: ReadonlyIndex<string, string>,
  ) {}

  @Get()
  async show() {
    const { items } = await this.client.list('namespaces');
    return {
      states: { main: this.main.state, edge: this.edge.state },
      namespaces: items.map(({ metadata }) => metadata.name),
      examples: [...this.examples.keys()],
    };
  }
}

@Module({
  imports: [KopfModule.forFeature({ operator: 'edge', indices: ['examples'] })],
  providers: [DisksOperator],
  controllers: [ClustersController],
})
export class ClustersModule {}
// #endregion

// #region probe
@Module({
  imports: [KopfHealthModule.forRoot({ controller: true, operators: ['default', 'edge'] })],
})
export class ProbeModule {}
// #endregion

// #region health
@Controller()
export class HealthController {
  constructor(
    private readonly health: HealthCheckService,
    private readonly main: KopfHealthIndicator,
    @InjectOperator('edge', KopfHealthIndicator) private readonly edge: KopfHealthIndicator,
  ) {}

  @Get('healthz')
  @HealthCheck()
  checkLiveness() {
    return this.health.check([() => this.main.isLive(), () => this.edge.isLive()]);
  }

  @Get('readyz')
  @HealthCheck()
  checkReadiness() {
    return this.health.check([() => this.main.isReady(), () => this.edge.isReady()]);
  }
}

@Module({
  imports: [TerminusModule, KopfHealthModule.forRoot(), KopfHealthModule.forRoot({ operator: 'edge' })],
  controllers: [HealthController],
})
export class HealthModule {}
// #endregion

// #region admission
@Injectable()
@ForOperator('edge')
export class EdgeRules {
  @Validate('disks.example.com')
  checkTier({ spec }: AdmissionContext<{ tier?: string }>) {
    if (!spec.tier) throw new AdmissionError('The tier must be set.', 422);
  }
}

@Module({
  imports: [KopfAdmissionModule.forRoot({ operator: 'edge', url: 'https://operator.example.com:8443' })],
  providers: [EdgeRules],
})
export class EdgeAdmissionModule {}
// #endregion
