// #region imports
import {
  Controller,
  Get,
  Injectable,
  Module,
  SetMetadata,
  type CanActivate,
  type ExecutionContext,
} from '@nestjs/common';
import { HealthCheck, HealthCheckService, MemoryHealthIndicator, TerminusModule } from '@nestjs/terminus';
import { Index, KopfModule, OnProbe, type ActivityContext, type IndexContext } from 'nestjs-kopf';
import { KopfHealthIndicator, KopfHealthModule } from 'nestjs-kopf/health';
// #endregion

// #region ready-made
@Module({ imports: [KopfHealthModule.forRoot({ controller: true }), KopfModule.forRoot()] })
export class AppModule {}
// #endregion

// #region routes
export const Public = () => SetMetadata('isPublic', true);

@Injectable()
export class ProbeGuard implements CanActivate {
  canActivate(context: ExecutionContext) {
    const { headers } = context.switchToHttp().getRequest<{ headers: Record<string, string> }>();
    return headers['user-agent']?.startsWith('kube-probe/') ?? false;
  }
}

@Module({
  imports: [
    KopfHealthModule.forRoot({ controller: true, globalPrefix: false, decorators: [Public()], guards: [ProbeGuard] }),
    KopfModule.forRoot(),
  ],
})
export class GuardedModule {}
// #endregion

// #region probes
@Injectable()
export class PoolOperator {
  connections = 1;

  @Index('disks.example.com')
  examples({ name }: IndexContext) {
    return { [name]: true };
  }

  @OnProbe()
  objects({ indices }: ActivityContext) {
    return indices.examples.size;
  }

  @OnProbe({ id: 'pool', timeout: 2 })
  checkPool() {
    if (this.connections === 0) throw new Error('The pool is empty.');
    return { connections: this.connections };
  }
}
// #endregion

// #region indicator
@Controller()
export class HealthController {
  constructor(
    private readonly health: HealthCheckService,
    private readonly kopf: KopfHealthIndicator,
    private readonly memory: MemoryHealthIndicator,
  ) {}

  @Get('health')
  @HealthCheck()
  check() {
    return this.health.check([
      () => this.kopf.isLive('operator'),
      () => this.memory.checkHeap('heap', 1024 * 1024 * 1024),
    ]);
  }
}

@Module({
  imports: [TerminusModule, KopfHealthModule.forRoot({ watchStaleAfter: 120 }), KopfModule.forRoot()],
  controllers: [HealthController],
  providers: [PoolOperator],
})
export class CombinedModule {}
// #endregion

// #region async
@Injectable()
export class LimitsService {
  readonly silence = Number(process.env.SILENCE_LIMIT ?? 300);
}

@Module({ providers: [LimitsService], exports: [LimitsService] })
export class LimitsModule {}

@Module({
  imports: [
    KopfHealthModule.forRootAsync({
      controller: true,
      imports: [LimitsModule],
      inject: [LimitsService],
      useFactory: (limits: LimitsService) => ({ watchStaleAfter: limits.silence }),
    }),
    KopfModule.forRoot(),
  ],
})
export class AsyncModule {}
// #endregion
