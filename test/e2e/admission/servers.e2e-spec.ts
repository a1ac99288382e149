import { EmbeddedKube } from 'embedded-kube';
import type { ConnectionInfo, KubeTransport } from 'nestjs-kopf';
import { WebhookServer, type AdmissionServer, type WebhookClientConfig } from 'nestjs-kopf/webhooks';
import { SeededRandom, VirtualClock } from 'nestjs-kopf/testing';
import { KubeApi } from '../../../libs/kopf/src/client/api/api.client.js';
import { Vault } from '../../../libs/kopf/src/client/vault/vault.js';
import { generateCertificate } from '../../../libs/kopf/src/admission/certificates/certificate.factory.js';
import { NetworkingSettings } from '../../../libs/kopf/src/settings/client.settings.js';
import { MemoryLogger } from '../../support/telemetry/memory.logger.js';
import { RecordingTransport, type RecordedWrite } from '../../support/transport/recording.transport.js';
import { send, serve, type ServedWebhooks } from '../../support/webhooks/served.webhooks.js';

const HOUR = 3_600_000;
const DAY = 24 * HOUR;
const LIFETIME = 9 * DAY;
const SECRETS = '/api/v1/namespaces/ns/secrets';
const SECRET = `${SECRETS}/hooks`;
const fresh = { agent: false } as const;
const decode = (text: string | undefined): string => Buffer.from(text ?? '', 'base64').toString();
const countCertificates = ({ caBundle }: WebhookClientConfig): number =>
  decode(caBundle).split('-----BEGIN').length - 1;

describe('Replicas with one certificate in a Secret', () => {
  let clock: VirtualClock;
  let kube: EmbeddedKube;
  let writes: RecordedWrite[];
  let breakdown: Error | undefined;

  beforeEach(async () => {
    // By the real time, which counts for TLS, both the first certificate and the second one are valid.
    clock = new VirtualClock(Date.now() - 6 * DAY);
    kube = await EmbeddedKube.start({ clock, random: new SeededRandom(1), port: false, logger: new MemoryLogger() });
    writes = [];
    breakdown = undefined;
    await request('POST', '/api/v1/namespaces', { metadata: { name: 'ns' } });
  });

  afterEach(() => clock.runUntil(kube.stop()));

  async function request(method: string, path: string, body?: object): Promise<any> {
    const type = method === 'PATCH' ? 'application/merge-patch+json' : 'application/json';
    const headers = { accept: 'application/json', 'content-type': type };
    const response = await kube.transport().request({ method, path, headers, body: body && JSON.stringify(body) });
    return JSON.parse(await response.text());
  }

  const server = (): WebhookServer => {
    const secret = { name: 'hooks', interval: HOUR / 1000, bundleDelay: (12 * HOUR) / 1000, lifetime: LIFETIME / 1000 };
    return new WebhookServer({ addr: '127.0.0.1', secret });
  };

  async function start(replica: AdmissionServer, seed = 1): Promise<ServedWebhooks> {
    const transport = new RecordingTransport(kube.transport(), (write) => writes.push(write));
    const flaky: KubeTransport = {
      request: (each) => (breakdown ? Promise.reject(breakdown) : transport.request(each)),
      close: () => transport.close(),
    };
    const api = await makeApi({ server: 'http://embedded', transport: flaky, defaultNamespace: 'ns' }, clock);
    // Keys are made in real time. Virtual time must not pass meanwhile: the other replicas would be days ahead.
    return serve(replica, undefined, { clock, api, random: new SeededRandom(seed) });
  }

  const listWrites = (): string[] =>
    writes.filter(({ response }) => response < 300).map(({ method, path }) => `${method} ${path}`);

  /** Lets hours pass. Keys are made in real time, so each hour takes as long as to make some. */
  async function passUntil(condition: () => boolean, hourly = async () => {}): Promise<void> {
    for (let hours = 0; hours < 1000 && !condition(); hours++) {
      await clock.advance(HOUR);
      await hourly();
      await generateCertificate({ names: ['yardstick'], lifetime: 60 }, { clock, random: new SeededRandom(7) });
    }
    expect(condition()).toBe(true);
  }

  it('should agree on the certificate of whoever was the first', async () => {
    const replicas = await Promise.all([start(server(), 1), start(server(), 2), start(server(), 3)]);
    const [first] = replicas;
    for (const { config } of replicas) {
      expect(config.caBundle).toBe(first.config.caBundle);
      expect((await send({ ...config, caBundle: first.config.caBundle }, fresh)).status).toBe(200);
    }
    const { type, data, metadata } = await request('GET', SECRET);
    expect(type).toBe('kubernetes.io/tls');
    expect(metadata.labels).toEqual({ 'app.kubernetes.io/managed-by': 'nestjs-kopf' });
    expect(Object.keys(data).sort()).toEqual(['ca.crt', 'tls.crt', 'tls.key']);
    expect(data['ca.crt']).toBe(first.config.caBundle);
    const { config } = await start(server(), 4);
    expect(config.caBundle).toBe(first.config.caBundle);
  });

  it('should exchange it in time, once, and so that it is always trusted', async () => {
    const replicas = [await start(server(), 1), await start(server(), 2)];
    const isTrusted = async (...configs: WebhookClientConfig[]): Promise<void> => {
      for (const { config } of replicas) {
        for (const { caBundle } of configs) expect((await send({ ...config, caBundle }, fresh)).status).toBe(200);
      }
    };
    const isTrustedAsPublished = (): Promise<void> => isTrusted(...replicas.map(({ configs }) => configs.at(-1)!));
    const [{ config: first }] = replicas;
    expect(listWrites()).toEqual([`POST ${SECRETS}`]);
    await clock.advance(5.5 * DAY);
    expect(replicas.map(({ configs }) => configs.length)).toEqual([1, 1]);
    await passUntil(() => replicas.every(({ configs }) => configs.length === 2), isTrustedAsPublished);
    const both = replicas[0].configs[1];
    expect(replicas[1].configs[1].caBundle).toBe(both.caBundle);
    expect(countCertificates(both)).toBe(2);
    expect(listWrites()).toEqual([`POST ${SECRETS}`, `PUT ${SECRET}`]);
    await isTrusted(first, both);
    await passUntil(() => writes.filter(({ response }) => response < 300).length === 3, isTrustedAsPublished);
    for (let hours = 0; hours < 3; hours++) {
      await clock.advance(HOUR);
      await isTrustedAsPublished();
    }
    expect(listWrites()).toEqual([`POST ${SECRETS}`, `PUT ${SECRET}`, `PUT ${SECRET}`]);
    expect(replicas.map(({ configs }) => configs.length)).toEqual([2, 2]);
    await isTrusted(both);
    await expect(send({ ...first, url: replicas[1].config.url }, fresh)).rejects.toThrow(/certificate/);
    expect(Object.keys((await request('GET', SECRET)).data).sort()).toEqual(['ca.crt', 'tls.crt', 'tls.key']);
  });

  it('should go on with the certificate while the API server cannot be reached', async () => {
    const replica = await start(server());
    breakdown = new Error('no route to host');
    await clock.advance(DAY);
    expect((await send(replica.config, fresh)).status).toBe(200);
    expect(replica.context.logger.messages('warn').at(-1)).toMatch(
      /Secret ns\/hooks cannot be checked.*no route to host/,
    );
    breakdown = undefined;
    await clock.advance(4.5 * DAY);
    await passUntil(() => replica.configs.length === 2);
    expect(countCertificates(replica.configs[1])).toBe(2);
  });

  it.each([
    ['a broken key', { 'tls.key': Buffer.from('broken').toString('base64') }],
    ['no certificate', { 'tls.crt': '' }],
    ['no authorities', { 'ca.crt': null }],
    ['nothing', { 'tls.crt': '', 'tls.key': '', 'ca.crt': null }],
  ])('should replace a certificate with %s', async (_title, data) => {
    const replica = await start(server());
    await request('PATCH', SECRET, { data });
    await passUntil(() => replica.configs.length === 2);
    const { config: old, configs } = replica;
    const { data: stored } = await request('GET', SECRET);
    expect(configs[1].caBundle).toBe(stored['ca.crt']);
    // There can be others who still have the old one.
    expect(decode(stored['ca.crt'])).toContain(decode(old.caBundle));
    const other = await start(server(), 2);
    for (const each of [replica, other]) {
      expect((await send({ ...each.config, caBundle: stored['ca.crt'] }, fresh)).status).toBe(200);
    }
  });

  it('should make another one that is valid for the names of all versions of the operator', async () => {
    const older = await start(server());
    const newer = new WebhookServer({
      addr: '127.0.0.1',
      extraSans: ['new.example'],
      secret: { name: 'hooks', interval: HOUR / 1000 },
    });
    const { config } = await start(newer, 2);
    expect((await send(config, { ...fresh, servername: 'new.example' })).status).toBe(200);
    expect((await send(config, fresh)).status).toBe(200);
    await clock.advance(3 * HOUR);
    expect((await send({ ...older.config, caBundle: config.caBundle }, fresh)).status).toBe(200);
    expect(listWrites()).toEqual([`POST ${SECRETS}`, `PUT ${SECRET}`]);
  });

  it("should only read a Secret that is somebody else's", async () => {
    const tools = { clock, random: new SeededRandom(9) };
    const encode = (text: string): string => Buffer.from(text).toString('base64');
    const make = async (): Promise<object> => {
      const made = await generateCertificate({ names: ['127.0.0.1'], lifetime: LIFETIME / 1000 }, tools);
      return {
        'tls.crt': encode(made.certificate),
        'tls.key': encode(made.privateKey),
        'ca.crt': encode(made.caBundle),
      };
    };
    const foreign = { metadata: { name: 'hooks' }, type: 'kubernetes.io/tls' };
    await request('POST', SECRETS, { ...foreign, data: await make() });
    const replica = await start(server());
    expect((await send(replica.config, fresh)).status).toBe(200);
    await request('PATCH', SECRET, { data: await make() });
    await clock.advance(3 * HOUR);
    expect(replica.configs.map(countCertificates)).toEqual([1, 2, 1]);
    expect((await send(replica.configs[2], fresh)).status).toBe(200);
    await request('PATCH', SECRET, { data: { 'tls.crt': encode('broken') } });
    await clock.advance(3 * HOUR);
    expect((await send(replica.configs[2], fresh)).status).toBe(200);
    await expect(start(server(), 2)).rejects.toThrow(/is not the operator's/);
    expect(listWrites()).toEqual([]);
  });
});

async function makeApi(info: ConnectionInfo, clock: VirtualClock): Promise<KubeApi> {
  const logger = new MemoryLogger();
  const login = async () => new Map([['test', info]]);
  const vault = new Vault({
    login,
    createTransport: () => info.transport!,
    clock,
    random: new SeededRandom(1),
    logger,
  });
  // As the operator does before it begins to work.
  await vault.acquire();
  return new KubeApi(vault, new NetworkingSettings(), clock, logger);
}
