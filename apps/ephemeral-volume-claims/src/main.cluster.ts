import 'reflect-metadata';
import { NestFactory } from '@nestjs/core';
import { KopfOperator, LoginError } from 'nestjs-kopf';
import { AppModule } from './app.module.js';

/** Runs the operator against the current kubeconfig, or in a pod: `npm run start:cluster`. */
try {
  const app = await NestFactory.createApplicationContext(AppModule.register(), { abortOnError: false });
  app.enableShutdownHooks();
  await app.get(KopfOperator).ready();
} catch (error) {
  if (!(error instanceof LoginError)) throw error;
  console.error(error.message);
  process.exit(1);
}
