import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { Agent } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createClientIdentity, type ClientIdentity } from '../../../../../test/support/clusters/client.identity.js';
import { allowance, send, serve } from '../../../../../test/support/webhooks/served.webhooks.js';
import type { AdmissionReviewer, ClientCertificate } from '../../reviews/admission.review.js';
import { SeededRandom, SystemClock } from 'kube-common';
import { VirtualClock } from '../../testing/time/virtual.clock.js';
import { generateCertificate, type GeneratedCertificate } from '../certificates/certificate.factory.js';
import type { WebhookServerOptions } from './webhook-server.options.js';
import { WebhookServer } from './webhook.server.js';

const LOCAL = { addr: '127.0.0.1' } as const;
const decode = (bundle: string | undefined): string => Buffer.from(bundle ?? '', 'base64').toString();

describe('WebhookServer over TLS', () => {
  const now = new SystemClock().now();
  let folder: string;
  let clock: VirtualClock;

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'kopf-'));
    clock = new VirtualClock(now);
  });

  afterEach(() => rm(folder, { recursive: true }));

  const at = (name: string): string => join(folder, name);

  async function writeCertificate(seed: number): Promise<GeneratedCertificate> {
    const tools = { clock, random: new SeededRandom(seed) };
    const made = await generateCertificate({ names: ['127.0.0.1'], lifetime: 86_400 }, tools);
    await Promise.all([
      writeFile(at('tls.crt'), made.certificate),
      writeFile(at('tls.key'), made.privateKey),
      writeFile(at('ca.crt'), made.caBundle),
    ]);
    return made;
  }

  const files = (): WebhookServerOptions => ({
    ...LOCAL,
    certfile: at('tls.crt'),
    pkeyfile: at('tls.key'),
    cafile: at('ca.crt'),
  });

  describe('with a self-signed certificate', () => {
    it('should be trusted by its address, its host, and the other names, and by nothing else', async () => {
      const options = {
        ...LOCAL,
        host: 'host.example',
        extraSans: ['127.0.0.2', 'other.example'],
        cadump: at('ca.pem'),
      };
      const { config } = await serve(new WebhookServer(options));
      expect(config.url).toMatch(/^https:\/\/host\.example:\d+$/);
      const local = { ...config, url: config.url!.replace('host.example', '127.0.0.1') };
      const fresh = { agent: false } as const;
      expect((await send(local, fresh)).status).toBe(200);
      for (const servername of ['host.example', 'other.example']) {
        expect((await send(local, { ...fresh, servername })).status).toBe(200);
      }
      await expect(send(local, { ...fresh, servername: 'alien.example' })).rejects.toThrow(/altnames/);
      await expect(send(local, { ...fresh, ca: '' })).rejects.toThrow(/certificate/);
      expect(await readFile(at('ca.pem'), 'utf8')).toBe(decode(config.caBundle));
    });

    it('should refer to the service, if there is one, and be valid for its names', async () => {
      const service = { name: 'hooks', port: 8443 };
      const api = { defaultNamespace: 'ns' };
      const server = new WebhookServer({ ...LOCAL, port: 0, path: '/a/', service });
      const { config, context } = await serve(server, undefined, { api });
      expect(config.service).toEqual({ name: 'hooks', namespace: 'ns', port: 8443, path: '/a' });
      expect(config.url).toBeUndefined();
      const port = /at port (\d+)/.exec(context.logger.messages().join())![1];
      const local = { url: `https://127.0.0.1:${port}/a`, caBundle: config.caBundle };
      expect((await send(local, { servername: 'hooks.ns.svc' })).status).toBe(200);
    });

    it('should replace it long before it expires, and publish the new authority first', async () => {
      // By the real time, which counts for TLS, both the first certificate and the second one are valid.
      clock = new VirtualClock(now - (365 * 86_400_000 * 2) / 3 - 3_600_000);
      const { config, until } = await serve(new WebhookServer({ ...LOCAL, bundleDelay: 10 }), undefined, { clock });
      const agent = new Agent({ keepAlive: false, maxCachedSessions: 0 });
      const next = until(2);
      await clock.advance(243 * 86_400_000);
      const both = await clock.runUntil(next);
      expect(decode(both.caBundle)).toContain(decode(config.caBundle));
      expect((await send(both, { agent })).status).toBe(200);
      expect((await send(config, { agent })).status).toBe(200);
      const last = await clock.runUntil(until(3));
      expect(decode(both.caBundle)).toContain(decode(last.caBundle));
      expect((await send(last, { agent })).status).toBe(200);
      await expect(send(config, { agent })).rejects.toThrow(/certificate/);
    });
  });

  describe('with a certificate in files', () => {
    it('should take new files without dropping connections, and publish the new authority first', async () => {
      const first = await writeCertificate(1);
      const { config, configs, until } = await serve(new WebhookServer(files()), undefined, { clock });
      expect(decode(config.caBundle)).toBe(first.caBundle);
      const open = new Agent({ keepAlive: true, maxSockets: 1 });
      const fresh = { agent: false } as const;
      expect((await send(config, { agent: open })).status).toBe(200);
      const second = await writeCertificate(2);
      const both = await clock.runUntil(until(2));
      expect(clock.monotonic()).toBe(60_000);
      expect(decode(both.caBundle)).toBe(first.caBundle + second.caBundle);
      expect((await send(both, fresh)).status).toBe(200);
      expect((await send(config, fresh)).status).toBe(200);
      const last = await clock.runUntil(until(3));
      expect(clock.monotonic()).toBe(120_000);
      expect(decode(last.caBundle)).toBe(second.caBundle);
      expect((await send(both, fresh)).status).toBe(200);
      expect((await send(last, fresh)).status).toBe(200);
      await expect(send(config, fresh)).rejects.toThrow(/certificate/);
      // The connection is that of the beginning: a new one would not be trusted.
      const reply = await send(config, { agent: open });
      expect(reply.status).toBe(200);
      open.destroy();
      await clock.advance(600_000);
      expect(configs).toHaveLength(3);
    });

    it.each<[string, (certificate: GeneratedCertificate) => Promise<unknown>, string]>([
      [
        'a key of another certificate',
        ({ privateKey }) => writeFile(at('tls.key'), privateKey),
        'cannot be used with its key',
      ],
      ['no certificate', () => writeFile(at('tls.crt'), ''), 'cannot be read'],
      ['no file', () => rm(at('tls.key')), 'Cannot read'],
      ['an empty bundle', () => writeFile(at('ca.crt'), 'nothing'), 'has none in it'],
    ])('should report %s once, and keep the old one', async (_title, spoil, message) => {
      const first = await writeCertificate(1);
      const other = await generateCertificate({ names: ['a'], lifetime: 60 }, { clock, random: new SeededRandom(3) });
      const { config, configs, context } = await serve(new WebhookServer(files()), undefined, { clock });
      await spoil(other);
      const reported = (): string[] => context.logger.messages('error');
      for (let minute = 0; minute < 5 || !reported().length; minute++) {
        await clock.advance(60_000);
        await readFile(at('ca.crt'));
      }
      expect(reported()).toEqual([expect.stringContaining(message)]);
      expect(reported()[0]).not.toContain('PRIVATE');
      expect((await send(config, { agent: false })).status).toBe(200);
      expect(configs).toHaveLength(1);
      await writeFile(at('tls.crt'), first.certificate);
    });

    it('should not start with files that cannot be used', async () => {
      await expect(serve(new WebhookServer(files()))).rejects.toThrow(/^Cannot read .*: ENOENT$/);
      await writeCertificate(1);
      await writeFile(at('tls.key'), (await createClientIdentity('CN=x', now)).key);
      await expect(serve(new WebhookServer(files()))).rejects.toThrow('cannot be used with its key');
    });
  });

  describe('with certificates of clients', () => {
    let trusted: ClientIdentity;
    let stranger: ClientIdentity;

    beforeAll(async () => {
      trusted = await createClientIdentity('CN=Example Common Name,E=example@kopf.dev', now);
      stranger = await createClientIdentity('CN=Stranger', now);
    });

    async function serveClients(options: WebhookServerOptions, ...rest: Parameters<typeof serve>[2][]) {
      const peers: (ClientCertificate | undefined)[] = [];
      const review: AdmissionReviewer = async (_review, { sslpeer }) => {
        peers.push(sslpeer);
        return allowance([`SSL peer is ${sslpeer ? `${sslpeer.subject.CN}` : 'unknown'}.`]);
      };
      return { peers, ...(await serve(new WebhookServer({ ...LOCAL, ...options }), review, ...rest)) };
    }

    it('should show who it is', async () => {
      const { config, peers } = await serveClients({ verifyCadata: trusted.cert });
      const agent = new Agent({ keepAlive: true, ...trusted, maxSockets: 1 });
      for (let count = 0; count < 2; count++) {
        const reply = await send(config, { agent, ...trusted });
        expect(reply.body.response.warnings).toEqual(['SSL peer is Example Common Name.']);
      }
      agent.destroy();
      expect(peers[1]).toEqual({
        subject: { CN: 'Example Common Name', emailAddress: 'example@kopf.dev' },
        issuer: { CN: 'Example Common Name', emailAddress: 'example@kopf.dev' },
        serialNumber: 'F01984716829537E',
        fingerprint256: expect.stringMatching(/^([\dA-F]{2}:){31}[\dA-F]{2}$/),
        validFrom: expect.any(Date),
        validTo: expect.any(Date),
        isVerified: true,
      });
      expect(peers[1]!.validTo.getTime()).toBe(Math.floor((now + 86_400_000) / 1000) * 1000);
    });

    it.each<[WebhookServerOptions['verifyMode'], number, number | string]>([
      ['none', 200, 200],
      ['optional', 403, 200],
      [undefined, 403, 200],
    ])('should treat strangers and the unknown as %s says', async (verifyMode, ofStranger, ofUnknown) => {
      const { config, peers } = await serveClients({ verifyMode, verifyCadata: trusted.cert });
      expect((await send(config, { agent: false, ...stranger })).status).toBe(ofStranger);
      expect((await send(config, { agent: false })).status).toBe(ofUnknown);
      expect(peers.every((peer) => peer === undefined)).toBe(true);
    });

    it('should not speak with anybody else, if it is required', async () => {
      const { config, peers } = await serveClients({ verifyMode: 'required', verifyCadata: trusted.cert });
      for (const identity of [stranger, {}]) {
        for (const maxVersion of ['TLSv1.2', 'TLSv1.3'] as const) {
          await expect(send(config, { agent: false, maxVersion, ...identity })).rejects.toThrow(
            /socket|alert|ECONNRESET|EPIPE/,
          );
        }
      }
      expect((await send(config, { agent: false, ...trusted })).status).toBe(200);
      expect(peers).toHaveLength(1);
    });

    it('should learn of other authorities while it serves', async () => {
      await writeFile(at('clients.crt'), trusted.cert);
      const { config, context } = await serveClients({ verifyCafile: at('clients.crt') }, { clock });
      expect((await send(config, { agent: false, ...stranger })).status).toBe(403);
      await writeFile(at('clients.crt'), 'broken');
      const until = async (level: 'log' | 'error'): Promise<void> => {
        while (!context.logger.messages(level).length) await clock.advance(60_000);
      };
      await until('error');
      expect((await send(config, { agent: false, ...trusted })).status).toBe(200);
      await writeFile(at('clients.crt'), `${trusted.cert}\n${stranger.cert}`);
      await until('log');
      for (const identity of [trusted, stranger]) {
        expect((await send(config, { agent: false, ...identity })).status).toBe(200);
      }
    });
  });
});
