import { Module, type DynamicModule } from '@nestjs/common';
import { KopfModule, type KopfModuleOptions } from 'nestjs-kopf';
import { LoadPods } from './load-tests/load.pods.js';
import { LoadTestOperator } from './load-tests/load-test.operator.js';
import { SimpleDeploymentOperator } from './simple-deployments/simple-deployment.operator.js';

/** The operator of load tests, and of the simplest deployments that there can be. */
@Module({})
export class AppModule {
  /** @param options where the cluster is, and whatever else is to be other than by default. */
  static register(options: KopfModuleOptions = {}): DynamicModule {
    return {
      module: AppModule,
      imports: [KopfModule.forRoot({ required: true, ...options })],
      providers: [LoadPods, LoadTestOperator, SimpleDeploymentOperator],
    };
  }
}
