import { Injectable } from '@nestjs/common';
import { ExpressAdapter } from '@nestjs/platform-express';
import { FastifyAdapter } from '@nestjs/platform-fastify';
import { Test } from '@nestjs/testing';
import {
  KopfAdmissionModule,
  KopfModule,
  KopfOperator,
  SystemClock,
  SystemRandom,
  Validate,
  type AdmissionContext,
} from 'nestjs-kopf';
import { generateCertificate } from '../../libs/kopf/src/admission/certificates/certificate.factory.js';
import { ApiServerGuard } from '../docs/examples/admission.example.js';
import type { ClusterUser } from '../support/clusters/cluster.user.js';
import { createClientIdentity } from '../support/clusters/client.identity.js';
import { eventually } from '../support/time/eventually.js';
import { administrator, credentialsOf, define } from '../support/clusters/cluster.access.js';
import { startControlPlane, type ControlPlane } from '../support/clusters/control-plane.js';
import { findFreePort } from '../support/programs/free.port.js';

const EXAMPLES = '/apis/kopf.dev/v1/namespaces/default/kopfexamples';
const BODY = { apiVersion: 'kopf.dev/v1', kind: 'KopfExample', metadata: { name: 'a' }, spec: {} };

@Injectable()
class Handlers {
  readonly peers: unknown[] = [];

  @Validate('kopfexamples.kopf.dev')
  check({ sslpeer }: AdmissionContext) {
    this.peers.push(sslpeer && [sslpeer.subject.CN, sslpeer.isVerified]);
  }
}

describe('a controller that is guarded by the certificate of a real API server', () => {
  let cluster: ControlPlane;
  let user: ClusterUser;
  let clientCa: string;
  let strange: string;

  beforeAll(async () => {
    const webhookClient = await createClientIdentity('CN=kube-apiserver', Date.now());
    clientCa = webhookClient.cert;
    strange = (await createClientIdentity('CN=Stranger', Date.now())).cert;
    cluster = await startControlPlane({ controllers: false, webhookClient });
    user = administrator(cluster);
    await define(user);
  });

  afterAll(async () => {
    await user?.close();
    await cluster?.stop();
  });

  async function start(platform: 'express' | 'fastify', ca: string): Promise<Handlers> {
    const own = { clock: new SystemClock(), random: new SystemRandom() };
    const { certificate, privateKey, caBundle } = await generateCertificate(
      { names: ['127.0.0.1'], lifetime: 3600 },
      own,
    );
    const port = await findFreePort();
    const admission = { url: `https://127.0.0.1:${port}`, caBundle, guards: [ApiServerGuard] };
    const kopf = { credentials: credentialsOf(cluster), admission: { managed: 'clients.kopf.dev' } };
    const module = await Test.createTestingModule({
      imports: [KopfAdmissionModule.forRoot(admission), KopfModule.forRoot(kopf)],
      providers: [Handlers],
    })
      .setLogger(false as never)
      .compile();
    const https = { cert: certificate, key: privateKey, ca, requestCert: true, rejectUnauthorized: false };
    const adapter = platform === 'fastify' ? new FastifyAdapter({ https } as never) : new ExpressAdapter();
    const app = module.createNestApplication(adapter as never, { logger: false, httpsOptions: https });
    onTestFinished(() => app.close());
    await app.listen(port, '127.0.0.1');
    await app.get(KopfOperator).ready();
    return app.get(Handlers);
  }

  const create = (): Promise<string> =>
    user.create(`${EXAMPLES}?dryRun=All`, BODY).then(
      () => 'created',
      (error: Error) => error.message,
    );

  it.each(['express', 'fastify'] as const)('should let it pass: %s', async (platform) => {
    const handlers = await start(platform, clientCa);
    await eventually('the handler is asked', async () => (await create()) === 'created' && handlers.peers.length > 0);
    expect(handlers.peers[0]).toEqual(['kube-apiserver', true]);
  });

  it.each(['express', 'fastify'] as const)('should refuse it if it shows another one: %s', async (platform) => {
    const handlers = await start(platform, strange);
    const message = 'failed to call webhook: Forbidden resource';
    await eventually('the request is refused', async () => (await create()).includes(message));
    expect(handlers.peers).toEqual([]);
  });
});
