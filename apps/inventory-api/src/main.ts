import 'reflect-metadata';
import { NestFactory } from '@nestjs/core';
import { AppModule } from './app.module.js';

/** Serves the API with the current kubeconfig, or in a pod. */
const { API_KEY, PORT = '3000' } = process.env;
if (!API_KEY) throw new Error('The environment variable API_KEY is missing.');
const app = await NestFactory.create(AppModule.register(API_KEY));
app.enableShutdownHooks();
await app.listen(Number(PORT));
