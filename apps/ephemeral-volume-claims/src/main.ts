import 'reflect-metadata';
import type { LogLevel } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { KopfOperator } from 'nestjs-kopf';
import { AppModule } from './app.module.js';
import { KUBECONFIG, startEmbeddedCluster } from './embedded.cluster.js';
import { readManifest } from './manifests.js';

/** Runs the operator with an API server of its own, and a first claim in it: `npm start [-- --verbose]`. */
const kube = await startEmbeddedCluster(Number(process.env.KUBE_PORT ?? 0));
await kube.client.create({ group: 'kopf.dev', plural: 'ephemeralvolumeclaims' }, 'default', readManifest('sample'));

const options = { credentials: kube.kubeconfig };
const logger: LogLevel[] = process.argv.includes('--verbose')
  ? ['debug', 'log', 'warn', 'error']
  : ['log', 'warn', 'error'];
const app = await NestFactory.createApplicationContext(AppModule.register(options), { logger });
await app.get(KopfOperator).ready();

const stop = async (): Promise<void> => {
  await app.close();
  await kube.stop();
};
process.once('SIGINT', () => void stop());
process.once('SIGTERM', () => void stop());

const kubectl = `KUBECONFIG=${KUBECONFIG} kubectl`;
console.log(`
The API server is at ${kube.url}. Try in another shell:

  ${kubectl} get evc,pvc
  ${kubectl} describe evc my-claim
  ${kubectl} patch evc my-claim --type merge -p '{"spec": {"size": "2Gi"}}'
  ${kubectl} label evc my-claim application=some-app owner=me
  ${kubectl} apply -f k8s/ephemeral-volume-claims/pod.yaml
  ${kubectl} get evc,pvc,pods -w
  ${kubectl} delete evc my-claim

Ctrl-C stops both.
`);
