import { Module, type DynamicModule } from '@nestjs/common';
import { ModuleRef } from '@nestjs/core';
import { requireOperators } from '../discovery/operator.providers.js';
import { DEFAULT_OPERATOR, operatorTokenOf } from '../kopf.tokens.js';
import { checkInspectionOptions } from './inspection.options.js';
import { KopfInspector } from './kopf.inspector.js';
import { inspectOperator, type InspectionOptions } from './operator/inspect.operator.js';
import { serviceTokensOf } from './operator/service.tokens.js';

/**
 * The module that provides a {@link KopfInspector}, by which the application reads what `KopfModule`'s operator is doing.
 *
 * @example
 * @Module({ imports: [KopfInspectionModule.forRoot(), KopfModule.forRoot()], controllers: [FailuresController] })
 * export class AppModule {}
 */
@Module({})
export class KopfInspectionModule {
  /**
   * Inspects one operator; for an operator with a name, the inspector is injected by `@InjectOperator(name, KopfInspector)`.
   *
   * @throws KopfOptionsError that names every bad option.
   */
  static forRoot(options: InspectionOptions = {}): DynamicModule {
    checkInspectionOptions(options);
    const { operator = DEFAULT_OPERATOR } = options;
    const provide = operatorTokenOf(operator, KopfInspector);
    return {
      module: KopfInspectionModule,
      providers: [
        requireOperators('KopfInspectionModule', [operator]),
        {
          provide,
          // The services are dependencies, so that they are there before they are looked up.
          useFactory: (application: ModuleRef) => inspectOperator(application, options),
          inject: [ModuleRef, ...serviceTokensOf(operator)],
        },
      ],
      exports: [provide],
    };
  }
}
