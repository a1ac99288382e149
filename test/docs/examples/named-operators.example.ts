// #region imports
import { Controller, Get, Injectable, Module } from '@nestjs/common';
import { HealthCheck, HealthCheckService, TerminusModule } from '@nestjs/terminus';
import {
  AdmissionError,
  ForOperator,
  Index,
  InjectIndex,
  InjectOperator,
  KopfAdmissionModule,
  KopfModule,
  KopfOperator,
  KubeClient,
  OnCreate,
  Validate,
  type AdmissionContext,
  type ChangeContext,
  type IndexContext,
  type ReadonlyIndex,
} from 'nestjs-kopf';
import { KopfHealthIndicator, KopfHealthModule } from 'nestjs-kopf/health';
// #endregion

// #region clusters
@Injectable()
export class MainOperator {
  @OnCreate('kopfexamples.kopf.dev')
  create({ name, logger }: ChangeContext) {
    logger.log(`${name} was created in the main cluster.`);
  }
}

@Injectable()
@ForOperator('edge')
export class EdgeOperator {
  @OnCreate('kopfexamples.kopf.dev')
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
export class AppModule {}
// #endregion

// #region both
@Injectable()
export class AuditOperator {
  readonly seen: string[] = [];

  @OnCreate('kopfexamples.kopf.dev')
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
export class ExamplesOperator {
  @Index('kopfexamples.kopf.dev', { operator: 'edge' })
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
  providers: [ExamplesOperator],
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
  @Validate('kopfexamples.kopf.dev')
  checkField({ spec }: AdmissionContext<{ field?: string }>) {
    if (!spec.field) throw new AdmissionError('The field must be set.', 422);
  }
}

@Module({
  imports: [KopfAdmissionModule.forRoot({ operator: 'edge', url: 'https://operator.example.com:8443' })],
  providers: [EdgeRules],
})
export class EdgeAdmissionModule {}
// #endregion
