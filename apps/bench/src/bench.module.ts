import { Module } from '@nestjs/common';
import { KopfModule } from 'nestjs-kopf';
import { KopfMetricsModule } from 'nestjs-kopf/metrics';
import { BenchOperator } from './bench.operator.js';

@Module({ imports: [KopfModule.forRoot({ required: true, posting: { enabled: false } })], providers: [BenchOperator] })
export class BenchModule {}

/** The same with metrics, which are collected but not served, so that their cost can be measured. */
@Module({ imports: [KopfMetricsModule.forRoot({ controller: false }), BenchModule] })
export class MeteredBenchModule {}
