import { Module, type DynamicModule, type ModuleMetadata } from '@nestjs/common';
import { KopfModule, type KopfModuleOptions } from 'nestjs-kopf';
import { ClaimOperator } from './claims/claim.operator.js';
import { VolumeService } from './claims/volume.service.js';

/** The operator of ephemeral volume claims. */
@Module({})
export class AppModule {
  /**
   * @param options where the cluster is, and whatever else is to be other than by default.
   * @param others modules beside the operator: its console.
   */
  static register(options: KopfModuleOptions = {}, others: ModuleMetadata['imports'] = []): DynamicModule {
    return {
      module: AppModule,
      // What goes wrong with a claim shows in its events: kubectl describe evc.
      imports: [
        ...others,
        KopfModule.forRoot({ required: true, posting: { loggers: true, level: 'warn' }, ...options }),
      ],
      providers: [ClaimOperator, VolumeService],
    };
  }
}
