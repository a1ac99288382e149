import { Module } from '@nestjs/common';
import { context } from '@opentelemetry/api';
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks';
import { BasicTracerProvider } from '@opentelemetry/sdk-trace-base';
import { KopfTracingModule } from 'nestjs-kopf/tracing';
import { BenchModule } from './bench.module.js';

context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());

/** The same operator with tracing: every span is made and sampled, but not exported, so that the cost of making them can be measured. */
@Module({ imports: [KopfTracingModule.forRoot({ tracerProvider: new BasicTracerProvider() }), BenchModule] })
export class TracedBenchModule {}
