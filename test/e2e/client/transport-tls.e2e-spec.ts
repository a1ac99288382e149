import { mkdtemp, rm, utimes, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TLSSocket } from 'node:tls';
import {
  createServerIdentity,
  type ServerIdentity,
} from '../../../libs/embedded-kube/src/access/certificate.authority.js';
import type { ConnectionInfo } from '../../../libs/kopf/src/client/vault/connection-info.js';
import { NetworkingSettings, WatchingSettings } from '../../../libs/kopf/src/settings/client.settings.js';
import { SystemClock } from 'kube-common';
import { HttpTransport } from '../../../libs/kopf/src/client/http/http.transport.js';

const base64 = (pem: string): string => Buffer.from(pem).toString('base64');

describe('HttpTransport over TLS', () => {
  const clock = new SystemClock();
  let identity: ServerIdentity;
  let clients: ServerIdentity[];
  let server: Server;
  let url: string;
  let folder: string;
  let transport: HttpTransport;

  beforeAll(async () => {
    identity = await createServerIdentity(clock.now(), ['kube.example']);
    clients = await Promise.all(['one', 'two'].map((name) => createServerIdentity(clock.now(), [name])));
    const options = {
      cert: identity.certificate,
      key: identity.privateKey,
      requestCert: true,
      rejectUnauthorized: false,
    };
    server = createServer(options, (request, response) => {
      response.end((request.socket as TLSSocket).getPeerCertificate().subjectaltname ?? 'nobody');
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    url = `https://127.0.0.1:${(server.address() as AddressInfo).port}`;
    folder = await mkdtemp(join(tmpdir(), 'kopf-'));
  });

  afterEach(() => transport.close());

  afterAll(async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
    await rm(folder, { recursive: true });
  });

  function connect(info: Partial<ConnectionInfo>, options: Partial<NetworkingSettings> = {}): void {
    const networking = Object.assign(new NetworkingSettings(), options);
    const settings = { networking, watching: new WatchingSettings() };
    transport = new HttpTransport({ server: url, ...info }, settings, clock);
  }

  const ask = async (): Promise<string> => (await transport.request({ method: 'GET', path: '/', headers: {} })).text();

  it.each<[string, () => Partial<ConnectionInfo>]>([
    [
      'an authority in PEM, and the expected name',
      () => ({ caData: identity.caCertificate, tlsServerName: 'kube.example' }),
    ],
    ['an authority in base64', () => ({ caData: base64(identity.caCertificate), tlsServerName: 'kube.example' })],
    ['no verification', () => ({ insecure: true })],
  ])('should trust the server by %s', async (_, info) => {
    connect(info());
    expect(await ask()).toBe('nobody');
  });

  it.each(['close', 'retire'] as const)('should %s connections that could not be made the first time', async (how) => {
    server.once('connection', (socket) => socket.destroy());
    connect({ insecure: true }, { connections: 1 });
    const [lost, waiting] = await Promise.allSettled([ask(), ask()]);
    expect([lost.status, waiting.status]).toEqual(['rejected', 'fulfilled']);
    const open = (): Promise<number> =>
      new Promise((resolve) => server.getConnections((_error, count) => resolve(count)));
    expect(await open()).toBe(1);
    await transport[how]();
    await vi.waitFor(async () => expect(await open()).toBe(0), 3000);
  });

  it.each<[string, () => Partial<ConnectionInfo>, string]>([
    ['with another name', () => ({ caData: identity.caCertificate }), 'ERR_TLS_CERT_ALTNAME_INVALID'],
    ['of an unknown authority', () => ({ tlsServerName: 'kube.example' }), 'UNABLE_TO_VERIFY_LEAF_SIGNATURE'],
  ])('should not trust a server %s', async (_, info, code) => {
    connect(info());
    await expect(ask()).rejects.toMatchObject({ code });
  });

  it('should show a client certificate from data', async () => {
    const { certificate, privateKey } = clients[0];
    connect({ insecure: true, certificateData: base64(certificate), privateKeyData: base64(privateKey) });
    expect(await ask()).toBe('DNS:one');
  });

  it.each<[string, () => Partial<ConnectionInfo>, RegExp]>([
    [
      'does not match its key',
      () => ({ certificateData: clients[0].certificate, privateKeyData: clients[1].privateKey }),
      /key values mismatch/,
    ],
    ['cannot be read', () => ({ certificateData: 'nothing', privateKeyData: clients[0].privateKey }), /PEM|start line/],
  ])('should fail at once, as with any connection, with a client certificate that %s', async (_, info, expected) => {
    connect({ insecure: true, ...info() });
    await expect(ask()).rejects.toThrow(expected);
    // As a request of its own.
    await expect(ask()).rejects.toThrow(expected);
  });

  it('should show the newest client certificate on new connections when the files are replaced', async () => {
    const certificatePath = join(folder, 'client.crt');
    const privateKeyPath = join(folder, 'client.key');
    const write = async ({ certificate, privateKey }: ServerIdentity, version: number): Promise<void> => {
      await writeFile(certificatePath, certificate);
      await writeFile(privateKeyPath, privateKey);
      await utimes(certificatePath, version, version);
    };
    await write(clients[0], 1000);
    connect({ insecure: true, certificatePath, privateKeyPath });
    expect(await ask()).toBe('DNS:one');
    await write(clients[1], 2000);
    expect(await ask()).toBe('DNS:one');
    server.closeAllConnections();
    await vi.waitFor(async () => expect(await ask()).toBe('DNS:two'));
  });
});
