import 'reflect-metadata';
import { NestFactory } from '@nestjs/core';
import { BenchModule } from './bench.module.js';

/**
 * Runs the reference operator against the current kubeconfig, to be measured from outside; with `KOPF_BENCH_METRICS=1` it has metrics, with
 * `KOPF_BENCH_TRACING=1` it has tracing.
 */
async function selectModule() {
  if (process.env.KOPF_BENCH_METRICS === '1') return (await import('./metered-bench.module.js')).MeteredBenchModule;
  if (process.env.KOPF_BENCH_TRACING === '1') return (await import('./traced-bench.module.js')).TracedBenchModule;
  return BenchModule;
}

const app = await NestFactory.createApplicationContext(await selectModule(), { logger: ['warn', 'error'] });
app.enableShutdownHooks();
