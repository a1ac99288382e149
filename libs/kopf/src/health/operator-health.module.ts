import { Module, type DynamicModule } from '@nestjs/common';
import { TerminusModule } from '@nestjs/terminus';
import { ActivityRunner } from '../activities/activity.runner.js';
import { provideOwn, provideService } from '../discovery/operator.providers.js';
import { provideReader } from '../inspection/operator/service.tokens.js';
import { operatorTokenOf } from '../kopf.tokens.js';
import { EventLoopMonitor } from './event-loop.monitor.js';
import { HandlerHealth } from './handler.health.js';
import { settingsOf, type HealthSettings } from './health.options.js';
import { COMMON_HEALTH_SETTINGS, KOPF_HEALTH_SETTINGS } from './health.tokens.js';
import { KopfHealthIndicator } from './kopf-health.indicator.js';
import { KopfProbes } from './kopf.probes.js';
import { OperatorHealth } from './operator.health.js';

/** The module of the health of one operator, which exports its indicator. */
@Module({})
export class OperatorHealthModule {
  /** @param common the module of the settings of all operators. */
  static register(operator: string, common: DynamicModule): DynamicModule {
    return {
      module: OperatorHealthModule,
      imports: [TerminusModule, common],
      providers: [
        {
          provide: KOPF_HEALTH_SETTINGS,
          useFactory: (settings: HealthSettings) => settingsOf(operator, settings),
          inject: [COMMON_HEALTH_SETTINGS],
        },
        ...provideReader(operator),
        ...provideOwn(operator, [ActivityRunner]),
        EventLoopMonitor,
        HandlerHealth,
        KopfProbes,
        OperatorHealth,
        provideService(operator, KopfHealthIndicator),
      ],
      exports: [operatorTokenOf(operator, KopfHealthIndicator)],
    };
  }
}
