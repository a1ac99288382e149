import { Injectable } from '@nestjs/common';
import { ExpressAdapter } from '@nestjs/platform-express';
import { FastifyAdapter } from '@nestjs/platform-fastify';
import { Test } from '@nestjs/testing';
import {
  AdmissionError,
  KopfAdmissionModule,
  KopfModule,
  KopfOperator,
  Mutate,
  SystemClock,
  SystemRandom,
  Validate,
  type AdmissionContext,
} from 'nestjs-kopf';
import { WebhookServer } from 'nestjs-kopf/webhooks';
import { generateCertificate } from '../../../libs/kopf/src/admission/certificates/certificate.factory.js';
import { eventually } from '../../support/time/eventually.js';
import type { Platform } from '../../support/webhooks/admission.application.js';
import { findFreePort } from '../../support/programs/free.port.js';
import type { TestCluster } from '../test.cluster.js';

const EXAMPLES = '/apis/kopf.dev/v1/namespaces/default/kopfexamples';
const CONFIGURATIONS = '/apis/admissionregistration.k8s.io/v1';
const managed = 'suite.kopf.dev';

@Injectable()
class Handlers {
  readonly seen: string[] = [];

  @Validate('kopfexamples.kopf.dev', { sideEffects: true })
  checkSize({ spec, dryrun, operation, userinfo, subresource }: AdmissionContext) {
    this.seen.push(
      [operation, dryrun ? 'dry' : 'wet', subresource ?? 'object', userinfo.username ? 'known' : ''].join(),
    );
    if (spec.size > 100) throw new AdmissionError('It is too large.', 422);
  }

  @Validate('kopfexamples.kopf.dev', { operation: 'DELETE', labels: { protected: 'yes' } })
  protect() {
    throw new AdmissionError('It is protected.', 403);
  }

  @Validate('kopfexamples.kopf.dev', {
    persistent: true,
    matchConditions: [{ name: 'large', expression: 'has(object.spec) && object.spec.?size.orValue(0) == 99' }],
    operations: ['CREATE', 'UPDATE'],
  })
  persistentOne() {
    throw new AdmissionError('The condition matches.', 409);
  }

  @Mutate('kopfexamples.kopf.dev', { operations: ['CREATE', 'UPDATE'] })
  complete({ spec, patch }: AdmissionContext) {
    if (spec.size === undefined) patch.spec.size = 1;
    if (spec.id !== undefined) patch.transform((body) => (body.spec!.ids = [spec.id, spec.id + 1n]));
  }
}

type Variant = 'server' | Platform;

/** Declares the tests of admission for users of a cluster with the resource `kopfexamples.kopf.dev`, by our own server of webhooks, or by an application's. */
export function describeAdmission(title: string, start: () => Promise<TestCluster>): void {
  describe(title, () => {
    let cluster: TestCluster;
    beforeAll(async () => {
      cluster = await start();
    }, 120_000);
    afterAll(() => cluster?.stop(), 60_000);

    it.each<Variant>(['server', 'express', 'fastify'])(
      'should check and change objects, and clean up: %s',
      { timeout: 60_000 },
      async (variant) => {
        const { user } = cluster;
        const { app, handlers } = await startApplication(cluster, variant);
        const name = `${variant}-a`;
        const make = (spec: object | undefined, labels = {}) => ({
          apiVersion: 'kopf.dev/v1',
          kind: 'KopfExample',
          metadata: { name, labels },
          ...(spec && { spec }),
        });
        const refused = (request: Promise<unknown>) => request.then(String, (error: Error) => error.message);
        await eventually('the webhooks are called', async () => {
          const answer = await refused(user.create(`${EXAMPLES}?dryRun=All`, make({ size: 101 })));
          return answer.includes('denied the request: It is too large.');
        });

        const created = await user.create(EXAMPLES, make({}));
        expect(created.spec).toEqual({ size: 1 });
        expect(await refused(user.patch(`${EXAMPLES}/${name}`, { spec: { size: 101 } }))).toMatch(
          /422.*It is too large/s,
        );
        expect(await refused(user.patch(`${EXAMPLES}/${name}`, { spec: { size: 99 } }))).toMatch(
          /The condition matches/,
        );
        await user.patch(`${EXAMPLES}/${name}`, { metadata: { labels: { protected: 'yes' } } });
        expect(await refused(user.delete(`${EXAMPLES}/${name}`))).toMatch(/403.*It is protected/s);
        await user.patch(`${EXAMPLES}/${name}`, { metadata: { labels: { protected: null } } });
        await user.delete(`${EXAMPLES}/${name}`);
        const numbered = await user.create(`${EXAMPLES}?dryRun=All`, make({ id: 9007199254740993n }));
        expect(numbered.spec).toEqual({
          size: 1,
          id: 9007199254740993n,
          ids: [9007199254740993n, 9007199254740994n],
        });
        expect(new Set(handlers.seen)).toEqual(
          new Set([
            'CREATE,dry,object,known',
            'CREATE,wet,object,known',
            'UPDATE,wet,object,known',
            'DELETE,wet,object,known',
          ]),
        );

        await app.close();
        const webhooksOf = async (kind: string): Promise<any[]> =>
          ((await user.get(`${CONFIGURATIONS}/${kind}/${managed}`))?.webhooks ?? []) as any[];
        const left = await webhooksOf('validatingwebhookconfigurations');
        expect(left.map((webhook) => webhook.name)).toEqual([`persistentone.${managed}`]);
        expect(await webhooksOf('mutatingwebhookconfigurations')).toEqual([]);
      },
    );
  });
}

async function startApplication({ credentials }: TestCluster, variant: Variant) {
  const own = { clock: new SystemClock(), random: new SystemRandom() };
  const certificate = await generateCertificate({ names: ['127.0.0.1', 'localhost'], lifetime: 3600 }, own);
  const port = await findFreePort();
  const server = new WebhookServer({ addr: '127.0.0.1', host: '127.0.0.1' });
  const module = await Test.createTestingModule({
    imports: [
      ...(variant === 'server'
        ? []
        : [KopfAdmissionModule.forRoot({ url: `https://127.0.0.1:${port}`, caBundle: certificate.caBundle })]),
      KopfModule.forRoot({ credentials, admission: { managed, server: variant === 'server' ? server : undefined } }),
    ],
    providers: [Handlers],
  })
    .setLogger(false as never)
    .compile();
  const https = { cert: certificate.certificate, key: certificate.privateKey };
  const adapter = variant === 'fastify' ? new FastifyAdapter({ https } as never) : new ExpressAdapter();
  const app = module.createNestApplication(adapter as never, { logger: false, httpsOptions: https });
  app.setGlobalPrefix('api');
  await app.listen(port, '127.0.0.1');
  await app.get(KopfOperator).ready();
  return { app, handlers: app.get(Handlers) };
}
