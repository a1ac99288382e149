import { Module } from '@nestjs/common';
import { KopfMetricsModule } from 'nestjs-kopf/metrics';
import { BenchModule } from './bench.module.js';

/** The same operator with metrics, which are collected but not served, so that their cost can be measured. */
@Module({ imports: [KopfMetricsModule.forRoot({ controller: false }), BenchModule] })
export class MeteredBenchModule {}
