import 'reflect-metadata';
import { NestFactory } from '@nestjs/core';
import { BenchModule } from './bench.module.js';

/** Runs the reference operator against the current kubeconfig, to be measured from outside. */
const app = await NestFactory.createApplicationContext(BenchModule, { logger: ['warn', 'error'] });
app.enableShutdownHooks();
