import { Inject, Injectable, type OnApplicationShutdown, type OnModuleInit } from '@nestjs/common';
import { trace } from '@opentelemetry/api';
import { OperatorIdentity } from '../diagnostics/channels.js';
import { OperatorSubscriptions } from '../diagnostics/operator.subscriptions.js';
import { HandlerLabels } from '../registry/handler.labels.js';
import { HandlerRegistry } from '../registry/handler.registry.js';
import { Redactor } from '../resources/redactor.js';
import { traceCycles } from './cycle.tracing.js';
import { traceHandlers } from './handler.tracing.js';
import { traceRequests } from './request.tracing.js';
import { traceReviews } from './review.tracing.js';
import { KOPF_TRACING_SETTINGS, type TracingSettings } from './tracing.options.js';
import { WorkSpans } from './work.spans.js';
import { InjectOwn } from '../kopf.tokens.js';

/** Traces one operator as long as the application runs. */
@Injectable()
export class OperatorTracing implements OnModuleInit, OnApplicationShutdown {
  private readonly subscriptions: OperatorSubscriptions;

  constructor(
    @Inject(KOPF_TRACING_SETTINGS) private readonly settings: TracingSettings,
    @InjectOwn(OperatorIdentity) operator: OperatorIdentity,
    @InjectOwn(HandlerRegistry) private readonly registry: HandlerRegistry,
    @InjectOwn(Redactor) private readonly redactor: Redactor,
  ) {
    this.subscriptions = new OperatorSubscriptions(operator);
  }

  onModuleInit(): void {
    const { settings, subscriptions, redactor } = this;
    const { tracerProvider = trace.getTracerProvider() } = settings;
    const context = {
      spans: new WorkSpans(tracerProvider.getTracer('nestjs-kopf')),
      subscriptions,
      settings,
      redactor,
    };
    traceCycles(context);
    traceHandlers(context, new HandlerLabels(this.registry));
    traceReviews(context);
    if (settings.requests) traceRequests(context);
  }

  onApplicationShutdown(): void {
    this.subscriptions.close();
  }
}
