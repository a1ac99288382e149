import 'reflect-metadata';
import { NestFactory } from '@nestjs/core';
import { KopfOperator } from 'nestjs-kopf';
import { AppModule } from './app.module.js';

/** Runs the operator against the current kubeconfig, or in a pod. */
const app = await NestFactory.createApplicationContext(AppModule.register());
app.enableShutdownHooks();
await app.get(KopfOperator).ready();
