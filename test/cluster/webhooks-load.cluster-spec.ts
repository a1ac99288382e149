import { mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { connect } from 'node:tls';
import { AdmissionError, SystemClock, SystemRandom, Validate, type AdmissionContext } from 'nestjs-kopf';
import { WebhookServer, type AdmissionServer, type WebhookServerOptions } from 'nestjs-kopf/webhooks';
import { generateCertificate } from '../../libs/kopf/src/admission/certificates/certificate.factory.js';
import type { ClusterUser } from '../support/clusters/cluster.user.js';
import { eventually } from '../support/time/eventually.js';
import { LocalOperator } from '../support/operators/local.operator.js';
import { AdmissionLoad } from './admission.load.js';
import { administrator, credentialsOf, define } from '../support/clusters/cluster.access.js';
import { startControlPlane, type ControlPlane } from '../support/clusters/control-plane.js';
import { TcpBalancer } from './tcp.balancer.js';
import { findFreePort } from '../support/programs/free.port.js';

const OBJECTS = '/apis/kopf.dev/v1/namespaces/default/kopfexamples';
const SECRET = '/api/v1/namespaces/default/secrets/hooks';
const CONFIGURATIONS = '/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations';
/** In all tests together, more than ten thousand. */
const REQUESTS = 2_600;

let reviews: number;

function rejectIfBad({ spec }: AdmissionContext<{ field?: string }>): void {
  reviews++;
  if (spec.field === 'bad') throw new AdmissionError('It is bad.', 422);
}

class Persistent {
  @Validate('kopfexamples.kopf.dev', { operations: ['CREATE', 'UPDATE'], persistent: true })
  check(context: AdmissionContext) {
    rejectIfBad(context);
  }
}

class Fleeting {
  @Validate('kopfexamples.kopf.dev', { operations: ['CREATE', 'UPDATE'] })
  check(context: AdmissionContext) {
    rejectIfBad(context);
  }
}

describe('users of an API server that calls webhooks which must not fail', { timeout: 60_000 }, () => {
  let cluster: ControlPlane;
  let user: ClusterUser;
  let folder: string;
  let managed: string;
  let load: AdmissionLoad;
  let total = 0;
  let runs = 0;

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'webhooks-load-'));
    cluster = await startControlPlane({ controllers: false });
    user = administrator(cluster);
    await define(user);
  }, 120_000);

  afterAll(async () => {
    await user?.close();
    await cluster?.stop();
    rmSync(folder, { recursive: true, force: true });
  });

  beforeEach(() => {
    reviews = 0;
    managed = `load-${runs++}.kopf.dev`;
    load = new AdmissionLoad(user, OBJECTS);
    // Later than the operators stop, which could write it again.
    onTestFinished(async () => {
      total += load.requests;
      await user.delete(`${CONFIGURATIONS}/${managed}`);
      await eventually('nobody is asked', isUnasked);
      await user.delete(OBJECTS);
      await user.delete(SECRET);
    });
  });

  /** Starts an operator, and waits until its webhooks are served. */
  async function run(
    handlers: new () => object,
    options: WebhookServerOptions & { balancer?: TcpBalancer },
  ): Promise<LocalOperator> {
    const { balancer, ...rest } = options;
    const direct = new WebhookServer({ addr: '127.0.0.1', ...rest });
    const server = balancer ? behind(balancer, direct) : direct;
    const credentials = credentialsOf(cluster);
    const operator = await LocalOperator.start(handlers, { credentials, admission: { managed, server } });
    onTestFinished(() => operator.stop());
    await eventually('the webhooks are served', () =>
      operator.logger.messages('log').some((line) => line.startsWith('Reviews are served at')),
    );
    return operator;
  }

  /** Tells whether what the handlers refuse is accepted. */
  async function isUnasked(): Promise<boolean> {
    const bad = { apiVersion: 'kopf.dev/v1', kind: 'KopfExample', metadata: { name: 'bad' }, spec: { field: 'bad' } };
    const answer = await user.create(`${OBJECTS}?dryRun=All`, bad).then(() => 'accepted', String);
    return answer === 'accepted';
  }

  const untilAsked = (): Promise<unknown> => eventually('the webhooks are called', async () => !(await isUnasked()));

  const bundleOf = async (): Promise<string> => {
    const configuration = await user.get<any>(`${CONFIGURATIONS}/${managed}`);
    return Buffer.from(configuration.webhooks[0].clientConfig.caBundle as string, 'base64').toString();
  };

  it('should not notice that files with certificates are replaced', async () => {
    const write = async (): Promise<string> => {
      const { certificate, privateKey, caBundle } = await makeCertificate();
      writeFileSync(join(folder, 'ca.crt'), caBundle);
      writeFileSync(join(folder, 'tls.crt'), certificate);
      await pause(300);
      writeFileSync(join(folder, 'next.key'), privateKey);
      renameSync(join(folder, 'next.key'), join(folder, 'tls.key'));
      return caBundle;
    };
    await write();
    const [certfile, pkeyfile, cafile] = ['tls.crt', 'tls.key', 'ca.crt'].map((name) => join(folder, name));
    const port = await findFreePort();
    await run(Persistent, { port, certfile, pkeyfile, cafile, fileCheckInterval: 0.2, bundleDelay: 1 });
    await untilAsked();
    const before = reviews;
    await load.during(async () => {
      for (let each = 0; each < 2; each++) {
        const [old, caBundle] = [await readFingerprint(port), await write()];
        await eventually('the certificate is in use', async () => (await readFingerprint(port)) !== old);
        await eventually('the old authority is gone', async () => (await bundleOf()) === caBundle);
      }
    }, REQUESTS);
    expect(load.failures).toEqual([]);
    expect(reviews - before).toBe(load.requests);
  });

  it('should not notice that the certificate in a Secret is rotated, and that one of two replicas restarts', async () => {
    const balancer = await TcpBalancer.start();
    onTestFinished(() => balancer.stop());
    // Two thirds of it are over after 8 seconds.
    const secret = { name: 'hooks', namespace: 'default', lifetime: 12, interval: 0.3, bundleDelay: 1.5 };
    const ports = await Promise.all([findFreePort(), findFreePort()]);
    const start = async (port: number): Promise<LocalOperator> => {
      const operator = await run(Persistent, { balancer, port, secret, closeDelay: 1 });
      balancer.add(port);
      return operator;
    };
    const [first] = [await start(ports[0]), await start(ports[1])];
    await untilAsked();
    const before = reviews;
    await load.during(async () => {
      const fingerprints = await Promise.all(ports.map(readFingerprint));
      await stopBehind(balancer, ports[0], first);
      await start(ports[0]);
      for (let each = 0; each < 2; each++) {
        await eventually('all have another certificate', async () => {
          const others = await Promise.all(ports.map(readFingerprint));
          return others[0] === others[1] && !fingerprints.includes(others[0]) && fingerprints.push(others[0]);
        });
      }
    }, REQUESTS);
    expect(load.failures).toEqual([]);
    expect(reviews - before).toBe(load.requests);
  });

  it('should not notice that operators with persistent webhooks replace each other', async () => {
    const balancer = await TcpBalancer.start();
    onTestFinished(() => balancer.stop());
    const secret = { name: 'hooks', namespace: 'default' };
    const start = async (port: number): Promise<LocalOperator> => {
      const operator = await run(Persistent, { balancer, port, secret, closeDelay: 1 });
      balancer.add(port);
      return operator;
    };
    let port = await findFreePort();
    let operator = await start(port);
    await untilAsked();
    const before = reviews;
    await load.during(async () => {
      for (let each = 0; each < 3; each++) {
        const next = await findFreePort();
        const successor = await start(next);
        await stopBehind(balancer, port, operator);
        [port, operator] = [next, successor];
      }
    }, REQUESTS);
    expect(load.failures).toEqual([]);
    expect(reviews - before).toBe(load.requests);
  });

  it('should pass unseen while an operator restarts whose webhooks are not persistent', async () => {
    const port = await findFreePort();
    let operator = await run(Fleeting, { port });
    await untilAsked();
    await load.during(async () => {
      for (let each = 0; each < 3; each++) {
        await operator.stop();
        expect(await isUnasked()).toBe(true);
        operator = await run(Fleeting, { port });
        await untilAsked();
      }
    }, REQUESTS);
    expect(load.failures).toEqual([]);
    expect(reviews).toBeGreaterThan(0);
    expect(reviews).toBeLessThan(load.requests);
  });

  it('should have been many', () => {
    expect(total).toBeGreaterThanOrEqual(10_000);
  });
});

/** A server that is reached by a balancer. */
function behind(balancer: TcpBalancer, server: AdmissionServer): AdmissionServer {
  return {
    async *serve(review, context) {
      for await (const config of server.serve(review, context)) yield { ...config, url: balancer.url };
    },
  };
}

/** Stops an operator as Kubernetes does: services notice it a little later. */
async function stopBehind(balancer: TcpBalancer, port: number, operator: LocalOperator): Promise<void> {
  const stopped = operator.stop();
  await pause(500);
  balancer.remove(port);
  await stopped;
}

function makeCertificate(): ReturnType<typeof generateCertificate> {
  const names = ['127.0.0.1'];
  return generateCertificate({ names, lifetime: 3600 }, { clock: new SystemClock(), random: new SystemRandom() });
}

/** Of the certificate that a server shows. */
async function readFingerprint(port: number): Promise<string> {
  const socket = connect({ port, host: '127.0.0.1', rejectUnauthorized: false });
  try {
    await new Promise((resolve, reject) => socket.once('secureConnect', resolve).once('error', reject));
    return socket.getPeerCertificate().fingerprint256;
  } finally {
    socket.destroy();
  }
}
