import { createServer, type Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import { MemoryLogger } from '../../../../../test/support/telemetry/memory.logger.js';
import { makeContext, serve } from '../../../../../test/support/webhooks/served.webhooks.js';
import type { KubeApi } from '../../client/api/api.client.js';
import { VaultItem } from '../../client/vault/vault.item.js';
import type { ClusterCertificate } from '../../reviews/admission-server.interface.js';
import type { ConnectionInfo } from '../../client/vault/connection-info.js';
import { type KubeTransport, SeededRandom, SystemClock } from 'kube-common';
import { generateCertificate } from '../certificates/certificate.factory.js';
import { detectLocalHost, createClusterFacts } from './cluster.facts.js';
import {
  WebhookAutoServer,
  WebhookDockerDesktopServer,
  WebhookK3dServer,
  WebhookMinikubeServer,
} from './webhook-local.servers.js';

type Case = [string, Partial<ClusterCertificate> | undefined, string | undefined, string | undefined];

const LOCAL = { addr: '127.0.0.1' } as const;

describe('detectLocalHost', () => {
  it.each<Case>([
    ['k3s by its name', { subject: { CN: 'k3s' } }, undefined, 'host.k3d.internal'],
    ['k3s by its organization', { subject: { O: 'k3s' } }, undefined, 'host.k3d.internal'],
    ['k3s by its authority', { issuer: { CN: 'k3s-server-ca@1600000000' } }, undefined, 'host.k3d.internal'],
    ['k3s by its version', { subject: { CN: 'other' } }, 'v1.36.3+k3s1', 'host.k3d.internal'],
    ['k3s without TLS', undefined, 'v1.36.3+k3s1', 'host.k3d.internal'],
    ['Minikube by its name', { subject: { CN: 'minikube' } }, undefined, 'host.minikube.internal'],
    ['Minikube by its authority', { issuer: { CN: 'minikubeCA' } }, undefined, 'host.minikube.internal'],
    ['Docker Desktop', { names: ['kubernetes', 'docker-for-desktop'] }, undefined, 'host.docker.internal'],
    ['any other cluster', { subject: { CN: 'kube-apiserver' }, issuer: { CN: 'kubernetes' } }, 'v1.36.3', undefined],
    ['a cluster that says nothing', undefined, undefined, undefined],
  ])('should recognize %s', async (_title, certificate, version, host) => {
    const found = certificate && { subject: {}, issuer: {}, names: [], ...certificate };
    const facts = { certificate: async () => found, gitVersion: async () => version };
    expect(await detectLocalHost(facts)).toBe(host);
  });
});

describe('the servers for clusters on the same machine', () => {
  it.each([
    [new WebhookK3dServer(LOCAL), 'host.k3d.internal'],
    [new WebhookMinikubeServer(LOCAL), 'host.minikube.internal'],
    [new WebhookDockerDesktopServer(LOCAL), 'host.docker.internal'],
    [new WebhookK3dServer({ ...LOCAL, host: 'given.example' }), 'given.example'],
  ])('should be called by the right name: %#', async (server, host) => {
    const { config } = await serve(server);
    expect(new URL(config.url!).hostname).toBe(host);
  });

  it.each<[string, object, string | undefined, string]>([
    ['the host of a known cluster', LOCAL, 'v1.36.3+k3s1', 'host.k3d.internal'],
    ['the address for an unknown cluster', LOCAL, 'v1.36.3', '127.0.0.1'],
    ['the given host for a known cluster', { ...LOCAL, host: 'given.example' }, 'v1.36.3+k3s1', 'given.example'],
  ])('should choose %s', async (_title, options, version, host) => {
    const cluster = { gitVersion: async () => version };
    const { config } = await serve(new WebhookAutoServer(options), undefined, { cluster });
    expect(new URL(config.url!).hostname).toBe(host);
  });
});

describe('makeClusterFacts', () => {
  const { context } = makeContext();
  const { clock } = context;
  let server: Server;
  let port: number;

  beforeAll(async () => {
    const names = ['127.0.0.1', 'kubernetes', 'docker-for-desktop'];
    const tools = { clock: new SystemClock(), random: new SeededRandom(1) };
    const { certificate: cert, privateKey: key } = await generateCertificate({ names, lifetime: 3600 }, tools);
    server = createServer({ cert, key });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    port = (server.address() as AddressInfo).port;
  });

  afterAll(() => new Promise((resolve) => server.close(resolve)));

  function make(info: ConnectionInfo, get: () => Promise<unknown> = () => Promise.reject(new Error('forbidden'))) {
    const vault = { acquire: async () => new VaultItem('test', info, {} as KubeTransport) };
    const logger = new MemoryLogger();
    return { logger, facts: createClusterFacts({ api: { get } as Pick<KubeApi, 'get'>, vault, clock, logger }) };
  }

  it('should look at the certificate without trusting it', async () => {
    const { facts } = make({ server: `https://127.0.0.1:${port}/path` });
    expect(await facts.certificate()).toEqual({
      subject: { CN: 'kubernetes' },
      issuer: { CN: expect.stringMatching(/^kopf-webhooks-ca-/) },
      names: ['127.0.0.1', 'kubernetes', 'docker-for-desktop'],
    });
    expect(await detectLocalHost(facts)).toBe('host.docker.internal');
  });

  it.each<[string, () => ConnectionInfo]>([
    ['there is no TLS', () => ({ server: `http://127.0.0.1:${port}` })],
    ['the server is in the process', () => ({ server: 'https://embedded', transport: {} as KubeTransport })],
    ['there is no server', () => ({ server: 'https://127.0.0.1:1' })],
  ])('should know nothing if %s', async (_title, info) => {
    const { facts } = make(info());
    expect(await facts.certificate()).toBeUndefined();
    expect(await detectLocalHost(facts)).toBeUndefined();
  });

  it('should ask for the version', async () => {
    expect(await make({ server: '' }, async () => ({ gitVersion: 'v1.36.3' })).facts.gitVersion()).toBe('v1.36.3');
    const { facts, logger } = make({ server: '' });
    expect(await facts.gitVersion()).toBeUndefined();
    expect(logger.messages('debug')).toEqual(['Cannot find out the version of the API server: forbidden']);
  });
});
