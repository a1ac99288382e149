import { execFile, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { request } from 'node:https';
import type { IncomingMessage } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { Injectable } from '@nestjs/common';
import { SystemClock, SystemRandom, Validate, type AdmissionContext } from 'nestjs-kopf';
import { WebhookServer } from 'nestjs-kopf/webhooks';
import { generateCertificate } from '../../../libs/kopf/src/admission/certificates/certificate.factory.js';
import { ApiServerGuard } from '../../docs/examples/admission.example.js';
import { AdmissionApplication } from '../../support/webhooks/admission.application.js';
import { TARGETS, type Target } from './admission.target.js';
import { createClientIdentity, type ClientIdentity } from '../../support/clusters/client.identity.js';
import { eventually } from '../../support/time/eventually.js';
import { OperatorHarness } from '../../support/operators/operator.harness.js';
import { makeExample, makeReview } from '../../support/webhooks/reviews.js';

const HAS_CURL = spawnSync('curl', ['--version']).status === 0;

@Injectable()
class Handlers {
  readonly seen: AdmissionContext[] = [];

  @Validate('kopfexamples')
  showAuth(context: AdmissionContext) {
    this.seen.push(context);
    const { sslpeer, warnings } = context;
    warnings.push(`SSL peer is ${sslpeer?.isVerified ? sslpeer.subject.CN : 'unknown'}.`);
  }
}

/** A server of webhooks over TLS that asks for the certificates of its clients. */
interface SecureServer {
  readonly url: string;
  readonly caFile: string;
  readonly ca: string;
  readonly handlers: Handlers;
}

describe('clients of servers of webhooks', () => {
  let folder: string;
  let trusted: ClientIdentity;
  let stranger: ClientIdentity;
  const at = (file: string): string => join(folder, file);

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'clients-'));
    const now = Date.now();
    trusted = await createClientIdentity('CN=Example Common Name,E=example@kopf.dev', now);
    stranger = await createClientIdentity('CN=Stranger', now);
    writeFileSync(at('client-cert.pem'), trusted.cert);
    writeFileSync(at('client-key.pem'), trusted.key);
    const review = makeReview(makeExample({}, { name: 'kopf-example-1', namespace: 'default' }), { dryRun: true });
    writeFileSync(at('review.json'), JSON.stringify(review, undefined, 2));
  });

  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  async function start(target: Target, guards: readonly (typeof ApiServerGuard)[] = []): Promise<SecureServer> {
    const { kube } = await OperatorHarness.start();
    if (target === 'server') {
      const server = new WebhookServer({
        addr: '127.0.0.1',
        verifyCafile: at('client-cert.pem'),
        cadump: at('selfsigned.pem'),
      });
      const options = { kube, platform: 'express', admission: false, kopf: { admission: { server } } } as const;
      const application = await AdmissionApplication.start({ ...options, providers: [Handlers] });
      const url = await eventually('the server listens', () => {
        const lines = application.logger.messages('log').join('\n');
        return /Reviews are served at (https:\S+)\./.exec(lines)?.[1];
      });
      return { url, caFile: at('selfsigned.pem'), ca: '', handlers: application.app.get(Handlers) };
    }
    const own = { clock: new SystemClock(), random: new SystemRandom() };
    const { certificate, privateKey, caBundle } = await generateCertificate(
      { names: ['127.0.0.1'], lifetime: 60 },
      own,
    );
    const clients = { requestCert: true, rejectUnauthorized: false, ca: trusted.cert };
    const https = { cert: certificate, key: privateKey, ...clients };
    const options = { kube, platform: target, https, admission: { guards }, providers: [Handlers] };
    const application = await AdmissionApplication.start(options);
    writeFileSync(at('ca.pem'), caBundle);
    const url = `${application.url}/admission`;
    return { url, caFile: at('ca.pem'), ca: caBundle, handlers: application.app.get(Handlers) };
  }

  /** Posts what is in a file, as curl does with `-d @review.json`. */
  async function post(url: string, file: string, options: object = {}): Promise<{ status: number; text: string }> {
    const headers = { 'content-type': 'application/x-www-form-urlencoded' };
    const sent = request(url, { method: 'POST', agent: false, headers, ...options });
    sent.end(readFileSync(file, 'utf8').replaceAll(/[\r\n]/g, ''));
    const [response] = (await once(sent, 'response')) as [IncomingMessage];
    let text = '';
    for await (const chunk of response) text += chunk;
    return { status: response.statusCode!, text };
  }

  describe.each(TARGETS)('%s', (target) => {
    it('should see the certificate and the password that curl shows, as documented', async () => {
      const { url, caFile, handlers } = await start(target);
      const address = url.replace('https://', 'https://ussser:passsw@');
      const shown = ['--cert', at('client-cert.pem'), '--key', at('client-key.pem')];
      const curl = async (...args: string[]): Promise<any> => {
        if (HAS_CURL) {
          const { stdout } = await promisify(execFile)('curl', ['--silent', ...args, '-d', `@${at('review.json')}`]);
          return JSON.parse(stdout);
        }
        const identity = args.includes('--cert') ? trusted : {};
        const { text } = await post(address, at('review.json'), {
          rejectUnauthorized: false,
          auth: 'ussser:passsw',
          ...identity,
        });
        return JSON.parse(text);
      };
      const answer = (warning: string): object => ({
        apiVersion: 'admission.k8s.io/v1',
        kind: 'AdmissionReview',
        response: { uid: '1ca13837-ad60-4c9e-abb8-86f29d6c0e84', allowed: true, warnings: [warning] },
      });
      expect(await curl('--insecure', ...shown, address)).toEqual(answer('SSL peer is Example Common Name.'));
      expect(await curl('--cacert', caFile, ...shown, url)).toEqual(answer('SSL peer is Example Common Name.'));
      expect(await curl('--insecure', url)).toEqual(answer('SSL peer is unknown.'));
      const [{ headers, sslpeer, dryrun }] = handlers.seen;
      expect(dryrun).toBe(true);
      expect(headers.authorization).toBe(`Basic ${Buffer.from('ussser:passsw').toString('base64')}`);
      expect(sslpeer).toMatchObject({
        subject: { CN: 'Example Common Name', emailAddress: 'example@kopf.dev' },
        issuer: { CN: 'Example Common Name' },
        serialNumber: 'F01984716829537E',
      });
      expect(handlers.seen[2].sslpeer).toBeUndefined();
    });
  });

  it.each(['express', 'fastify'] as const)(
    "should be refused by a guard on %s, unless they show the API server's certificate",
    async (platform) => {
      const { url, ca, handlers } = await start(platform, [ApiServerGuard]);
      const file = at('review.json');
      for (const identity of [stranger, {}]) {
        const { status, text } = await post(url, file, { ca, ...identity });
        expect(status).toBe(403);
        expect(JSON.parse(text)).toMatchObject({ kind: 'Status', message: 'Forbidden resource', code: 403 });
        expect(text).not.toMatch(/\bat .*:\d+|node_modules/);
      }
      writeFileSync(at('other.json'), JSON.stringify({ kind: 'Other', request: { object: {} } }));
      expect((await post(url, at('other.json'), { ca, ...trusted })).status).toBe(400);
      expect((await post(url, at('other.json'), { ca, ...stranger })).status).toBe(403);
      expect(handlers.seen).toEqual([]);
      expect((await post(url, file, { ca, ...trusted })).status).toBe(200);
      expect(handlers.seen).toHaveLength(1);
    },
  );
});
