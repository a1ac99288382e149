// #region imports
import { Controller, Get, Injectable, Module } from '@nestjs/common';
import {
  ForOperator,
  Index,
  InjectIndex,
  InjectOperator,
  KopfModule,
  KopfOperator,
  KubeClient,
  OnCreate,
  type ChangeContext,
  type IndexContext,
  type ReadonlyIndex,
} from 'nestjs-kopf';
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
