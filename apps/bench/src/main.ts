import 'reflect-metadata';
import { NestFactory } from '@nestjs/core';
import { BenchModule } from './bench.module.js';

/** Runs the reference operator against the current kubeconfig, to be measured from outside; with `KOPF_BENCH_METRICS=1` it has metrics. */
const isMetered = process.env.KOPF_BENCH_METRICS === '1';
const module = isMetered ? (await import('./metered-bench.module.js')).MeteredBenchModule : BenchModule;
const app = await NestFactory.createApplicationContext(module, { logger: ['warn', 'error'] });
app.enableShutdownHooks();
