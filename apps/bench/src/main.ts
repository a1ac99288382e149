import 'reflect-metadata';
import { NestFactory } from '@nestjs/core';
import { BenchModule, MeteredBenchModule } from './bench.module.js';

/** Runs the reference operator against the current kubeconfig, to be measured from outside; with `KOPF_BENCH_METRICS=1` it has metrics. */
const module = process.env.KOPF_BENCH_METRICS === '1' ? MeteredBenchModule : BenchModule;
const app = await NestFactory.createApplicationContext(module, { logger: ['warn', 'error'] });
app.enableShutdownHooks();
