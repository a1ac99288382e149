// tracing: what the operator does as spans of OpenTelemetry: event cycles, handlers, requests, admission reviews, and how one attempt
// follows another. It is a leaf: a separate subpath of the package, so that OpenTelemetry's API is needed only where it is imported.
// It subscribes to the channels of diagnostics/, and puts the context of each span around the work. Spans have names of objects, and never their values.
// May import: everything but other leaves.

import { Module, type DynamicModule } from '@nestjs/common';
import { provideOwn, requireOperators } from '../discovery/operator.providers.js';
import { OperatorIdentity } from '../diagnostics/channels.js';
import { DEFAULT_OPERATOR } from '../kopf.tokens.js';
import { HandlerRegistry } from '../registry/handler.registry.js';
import { Redactor } from '../resources/redactor.js';
import { provideOptions } from '../settings/options.providers.js';
import { OperatorTracing } from './operator.tracing.js';
import {
  createTracingSettings,
  KOPF_TRACING_SETTINGS,
  type KopfTracingAsyncOptions,
  type KopfTracingOptions,
} from './tracing.options.js';

/**
 * The module that traces `KopfModule`'s operator with OpenTelemetry: by the tracer provider and the context manager that the application
 * has registered.
 *
 * @example
 * @Module({ imports: [KopfTracingModule.forRoot({ storeTraceparent: true }), KopfModule.forRoot()] }) export class AppModule {}
 */
@Module({})
export class KopfTracingModule {
  /** @throws KopfOptionsError, when the application starts, if options are wrong. */
  static forRoot({ operator, ...settings }: KopfTracingOptions = {}): DynamicModule {
    return KopfTracingModule.forRootAsync({ operator, useFactory: () => settings });
  }

  /**
   * Does the same as {@link forRoot}, with options that are created when the application starts.
   *
   * @throws TypeError if there is nothing to make the options with.
   */
  static forRootAsync(options: KopfTracingAsyncOptions): DynamicModule {
    const { operator = DEFAULT_OPERATOR, imports = [], providers = [] } = options;
    return {
      module: KopfTracingModule,
      imports,
      providers: [
        requireOperators('KopfTracingModule', [operator]),
        ...providers,
        ...provideOptions(options, {
          provide: KOPF_TRACING_SETTINGS,
          module: 'KopfTracingModule',
          method: 'createKopfTracingOptions',
          complete: createTracingSettings,
        }),
        ...provideOwn(operator, [OperatorIdentity, HandlerRegistry, Redactor]),
        OperatorTracing,
      ],
    };
  }
}
