import 'reflect-metadata';
import { NestFactory } from '@nestjs/core';
import { KopfOperator, KubeClient, SystemClock } from 'nestjs-kopf';
import { AppModule } from './app.module.js';
import { Demo } from './demo.js';
import { startEmbeddedCluster } from './embedded.cluster.js';

/** Plays the life of a claim on an API server of its own, and checks each step: `npm run demo`. */
const kube = await startEmbeddedCluster();
const options = { credentials: kube.kubeconfig };
const app = await NestFactory.createApplicationContext(AppModule.register(options), { logger: ['warn', 'error'] });
try {
  await app.get(KopfOperator).ready();
  const report = (line: string): void => console.log(`✓ ${line}`);
  await new Demo({ client: app.get(KubeClient), clock: new SystemClock(), report }).run();
} catch (error) {
  console.error(`✗ ${(error as Error).message}`);
  process.exitCode = 1;
} finally {
  await app.close();
  await kube.stop();
}
