// The service that each combination of the matrix runs: an HTTP application on the platform of the environment's variable PLATFORM, with
// handlers, the controllers of health and admission, one of the official client's typed APIs, a second operator for another cluster, whose
// handlers are request-scoped, and the console. It prints what each of them answers, what a simulation finds, and which manifests are
// generated: it uses all packages together.
import 'reflect-metadata';
import { CoreV1Api } from '@kubernetes/client-node';
import { Inject, Injectable, Module, Scope } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { ExpressAdapter } from '@nestjs/platform-express';
import { FastifyAdapter } from '@nestjs/platform-fastify';
import { EmbeddedKube } from 'embedded-kube';
import {
  AdmissionError,
  ForOperator,
  getKubeApiToken,
  getOperatorToken,
  KOPF_CONTEXT,
  KopfAdmissionModule,
  KopfModule,
  KopfOperator,
  KubeClient,
  OnCreate,
  Validate,
  type AdmissionContext,
  type ChangeContext,
  type ObjectContext,
} from 'nestjs-kopf';
import { generateManifests } from 'nestjs-kopf-cli';
import { KopfConsoleModule } from 'nestjs-kopf-console';
import { simulate } from 'nestjs-kopf-simulation';
import { KopfHealthModule } from 'nestjs-kopf/health';
import { SeededRandom } from 'nestjs-kopf/testing';

@Injectable()
class GreetingOperator {
  constructor(@Inject(getKubeApiToken(CoreV1Api)) private readonly core: CoreV1Api) {}

  @OnCreate('configmaps.v1')
  async greet({ name, namespace, patch }: ChangeContext): Promise<void> {
    const read = await this.core.readNamespacedConfigMap({ name, namespace: namespace! });
    patch.merge({ data: { greeting: `Hello, ${read.metadata?.name}!` } });
  }

  @Validate('configmaps.v1')
  check({ name }: AdmissionContext): void {
    if (name === 'nobody') throw new AdmissionError('Nobody cannot be greeted.', 422);
  }
}

/** Greets in the other cluster, with an instance for each invocation. */
@Injectable({ scope: Scope.REQUEST })
@ForOperator('edge')
class EdgeOperator {
  constructor(@Inject(KOPF_CONTEXT) private readonly context: ObjectContext) {}

  @OnCreate('configmaps.v1')
  greet({ patch }: ChangeContext): void {
    patch.merge({ data: { greeting: `Hello from the edge, ${this.context.name}!` } });
  }
}

@Injectable()
class LabelOperator {
  @OnCreate('configmaps.v1')
  label({ patch }: ChangeContext): void {
    patch.merge({ metadata: { labels: { seen: 'yes' } } });
  }
}

/** An application of its own for the simulation and the manifests, which create applications themselves. */
@Module({ imports: [KopfModule.forRoot()], providers: [LabelOperator] })
class LabelModule {}

/** The findings of a few runs with random faults, which should be none. */
async function simulateLabels(): Promise<string> {
  const object = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a' } };
  const report = await simulate(LabelModule, {
    workload: async (kube) => {
      await kube.apply(object);
      await kube.settled();
    },
    plans: { random: 2, seed: 1 },
  });
  return report.findings.map(({ message }) => message).join() || 'none';
}

/** Whether the manifests of an application permit it to watch the resource of its handler. */
async function hasManifests(): Promise<boolean> {
  const { files } = await generateManifests(LabelModule, { name: 'labels', namespace: 'default' });
  return JSON.stringify(files).includes('configmaps');
}

/** The greeting that the operator has written, as soon as it is there. */
async function readGreeting(client: KubeClient): Promise<string> {
  const isOver = new AbortController();
  for await (const { object } of client.watch('configmaps', { signal: isOver.signal })) {
    const { greeting } = ((object as { data?: Record<string, string> }).data ?? {}) as { greeting?: string };
    if (greeting) return greeting;
  }
  throw new Error('The watch has ended.');
}

function createReview(name: string): object {
  const metadata = { name, namespace: 'default' };
  const request = {
    uid: '1',
    kind: { group: '', version: 'v1', kind: 'ConfigMap' },
    resource: { group: '', version: 'v1', resource: 'configmaps' },
    operation: 'CREATE',
    ...metadata,
    userInfo: { username: 'somebody' },
    object: { apiVersion: 'v1', kind: 'ConfigMap', metadata },
  };
  return { apiVersion: 'admission.k8s.io/v1', kind: 'AdmissionReview', request };
}

/** Has the operator of a cluster greet the world. */
async function greetWorld(operator: KopfOperator, client: KubeClient): Promise<string> {
  await operator.ready();
  await client.create({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'world', namespace: 'default' } });
  return readGreeting(client);
}

async function main(): Promise<void> {
  const kube = await EmbeddedKube.start({ port: false, random: new SeededRandom(1) });
  const edge = await EmbeddedKube.start({ port: false, random: new SeededRandom(2) });

  @Module({
    imports: [
      KopfHealthModule.forRoot({ controller: true, operators: ['default', 'edge'] }),
      KopfAdmissionModule.forRoot({ path: 'admission' }),
      KopfConsoleModule.forRoot(),
      KopfModule.forFeature({ apis: [CoreV1Api] }),
      KopfModule.forRoot({ name: 'edge', credentials: { server: edge.url, transport: edge.transport() } }),
      KopfModule.forRoot({ credentials: { server: kube.url, transport: kube.transport() } }),
    ],
    providers: [GreetingOperator, EdgeOperator],
  })
  class AppModule {}

  const adapter = process.env.PLATFORM === 'fastify' ? new FastifyAdapter() : new ExpressAdapter();
  const app = await NestFactory.create(AppModule, adapter, { logger: ['error'] });
  await app.listen(0, '127.0.0.1');
  const url = await app.getUrl();
  const greeting = await greetWorld(app.get(KopfOperator), app.get(KubeClient));
  const edgeOperator = app.get<KopfOperator>(getOperatorToken('edge'));
  const edgeClient = app.get<KubeClient>(getOperatorToken('edge', KubeClient));
  const edgeGreeting = await greetWorld(edgeOperator, edgeClient);
  const health = await fetch(`${url}/readyz`);
  const review = await fetch(`${url}/admission/check`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(createReview('nobody')),
  });
  const { response } = (await review.json()) as { response: { status: { message: string } } };
  const page = await fetch(`${url}/kopf/`);
  const others = `console ${page.status}, manifests ${await hasManifests()}, findings ${await simulateLabels()}`;
  console.log([greeting, edgeGreeting, health.status, response.status.message, others].join(' '));
  await app.close();
  await Promise.all([kube.stop(), edge.stop()]);
}

main().catch((error: unknown) => {
  console.error(error);
  process.exitCode = 1;
});
