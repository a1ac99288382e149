import { mkdtemp, rm, utimes, writeFile } from 'node:fs/promises';
import { createServer as createHttpServer } from 'node:http';
import { createServer, type Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TLSSocket } from 'node:tls';
import { ConnectProxy } from './connect.proxy.js';
import {
  createServerIdentity,
  type ServerIdentity,
} from '../../../libs/embedded-kube/src/access/certificate.authority.js';
import type { ConnectionInfo } from '../../../libs/kopf/src/client/vault/connection-info.js';
import { NetworkingSettings, WatchingSettings } from '../../../libs/kopf/src/settings/client.settings.js';
import { SystemClock } from 'kube-common';
import { HttpTransport } from '../../../libs/kopf/src/client/http/http.transport.js';

const VARIABLES = ['HTTP_PROXY', 'HTTPS_PROXY', 'NO_PROXY', 'http_proxy', 'https_proxy', 'no_proxy'];

describe('HttpTransport through a proxy', () => {
  const clock = new SystemClock();
  const opened: HttpTransport[] = [];
  let identity: ServerIdentity;
  let clients: ServerIdentity[];
  let server: Server;
  let plain: ReturnType<typeof createHttpServer>;
  let port: number;
  let plainPort: number;
  let proxy: ConnectProxy;

  beforeAll(async () => {
    identity = await createServerIdentity(clock.now(), ['kube.example']);
    clients = await Promise.all(['one', 'two'].map((name) => createServerIdentity(clock.now(), [name])));
    const { certificate: cert, privateKey: key } = identity;
    server = createServer({ cert, key, requestCert: true, rejectUnauthorized: false }, (request, response) => {
      response.end((request.socket as TLSSocket).getPeerCertificate().subjectaltname ?? 'nobody');
    });
    plain = createHttpServer((_, response) => response.end('plain'));
    await Promise.all(
      [server, plain].map((each) => new Promise<void>((resolve) => each.listen(0, '127.0.0.1', resolve))),
    );
    port = (server.address() as AddressInfo).port;
    plainPort = (plain.address() as AddressInfo).port;
  });

  beforeEach(async () => {
    proxy = await ConnectProxy.start();
    for (const name of VARIABLES) vi.stubEnv(name, undefined);
  });

  afterEach(async () => {
    vi.unstubAllEnvs();
    await Promise.all(opened.splice(0).map((transport) => transport.close()));
    await proxy.stop();
  });

  afterAll(async () => {
    for (const each of [server, plain]) {
      each.closeAllConnections();
      await new Promise((resolve) => each.close(resolve));
    }
  });

  function connect(info: Partial<ConnectionInfo>, options: Partial<NetworkingSettings> = {}): HttpTransport {
    const settings = {
      networking: Object.assign(new NetworkingSettings(), options),
      watching: new WatchingSettings(),
    };
    const url = `https://127.0.0.1:${port}`;
    const transport = new HttpTransport({ server: url, insecure: true, ...info }, settings, clock);
    opened.push(transport);
    return transport;
  }

  async function ask(transport: HttpTransport, streaming = false): Promise<string> {
    return (await transport.request({ method: 'GET', path: '/', headers: {}, streaming })).text();
  }

  it.each([false, true])('should verify the server inside of the tunnel (streaming: %j)', async (streaming) => {
    const server = `https://kube.example:${port}`;
    const known = connect({ server, proxyUrl: proxy.url, insecure: undefined, caData: identity.caCertificate });
    expect(await ask(known, streaming)).toBe('nobody');
    expect(proxy.tunnels).toEqual([`kube.example:${port}`]);
    const unknown = connect({ server, proxyUrl: proxy.url, insecure: undefined });
    await expect(ask(unknown, streaming)).rejects.toMatchObject({ code: 'UNABLE_TO_VERIFY_LEAF_SIGNATURE' });
    const other = connect({
      server: `https://other.example:${port}`,
      proxyUrl: proxy.url,
      insecure: undefined,
      caData: identity.caCertificate,
    });
    await expect(ask(other, streaming)).rejects.toMatchObject({ code: 'ERR_TLS_CERT_ALTNAME_INVALID' });
  });

  it('should ask for the usual port if the server names none', async () => {
    const transport = connect({ server: 'https://kube.example', proxyUrl: proxy.url });
    await ask(transport).catch(() => undefined);
    expect(proxy.tunnels).toEqual(['kube.example:443']);
  });

  it('should show the credentials for the proxy to the proxy', async () => {
    await ask(connect({ proxyUrl: proxy.url.replace('//', '//operator:p%40ss@') }));
    expect(proxy.authorizations).toEqual([`Basic ${Buffer.from('operator:p@ss').toString('base64')}`]);
  });

  it('should show the newest client certificate in new tunnels when the files are replaced', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'kopf-'));
    onTestFinished(() => rm(folder, { recursive: true }));
    const [certificatePath, privateKeyPath] = [join(folder, 'client.crt'), join(folder, 'client.key')];
    const write = async ({ certificate, privateKey }: ServerIdentity, version: number): Promise<void> => {
      await writeFile(certificatePath, certificate);
      await writeFile(privateKeyPath, privateKey);
      await utimes(certificatePath, version, version);
    };
    await write(clients[0], 1000);
    vi.stubEnv('HTTPS_PROXY', proxy.url);
    const transports = [
      connect({ certificatePath, privateKeyPath, proxyUrl: proxy.url }),
      connect({ certificatePath, privateKeyPath, trustEnv: true }),
    ];
    for (const transport of transports) expect(await ask(transport)).toBe('DNS:one');
    await write(clients[1], 2000);
    for (const transport of transports) expect(await ask(transport)).toBe('DNS:one');
    proxy.cut();
    for (const transport of transports) {
      await vi.waitFor(async () => expect(await ask(transport)).toBe('DNS:two'));
    }
  });

  it.each<[string, Record<string, string>, boolean]>([
    ['nothing', {}, false],
    ['HTTPS_PROXY', { HTTPS_PROXY: 'proxy' }, true],
    ['https_proxy', { https_proxy: 'proxy' }, true],
    ['HTTP_PROXY, if there is no other', { HTTP_PROXY: 'proxy' }, true],
    ['NO_PROXY with the host', { HTTPS_PROXY: 'proxy', NO_PROXY: 'example.com,127.0.0.1' }, false],
    ['NO_PROXY with the host and the port', { HTTPS_PROXY: 'proxy', NO_PROXY: '127.0.0.1:port' }, false],
    ['NO_PROXY with another port', { HTTPS_PROXY: 'proxy', NO_PROXY: '127.0.0.1:1' }, true],
    ['NO_PROXY with another host', { HTTPS_PROXY: 'proxy', no_proxy: 'example.com' }, true],
    ['NO_PROXY with a part of the host', { HTTPS_PROXY: 'proxy', NO_PROXY: '0.0.1' }, false],
    ['NO_PROXY for everything', { HTTPS_PROXY: 'proxy', NO_PROXY: '*' }, false],
  ])('should do as the environment says: %s', async (_, environment, isProxied) => {
    for (const [name, value] of Object.entries(environment)) {
      vi.stubEnv(name, value.replace('proxy', proxy.url).replace('port', String(port)));
    }
    expect(await ask(connect({}, { trustEnv: true }))).toBe('nobody');
    expect(await ask(connect({ trustEnv: true }), true)).toBe('nobody');
    expect(proxy.tunnels).toEqual(isProxied ? Array(2).fill(`127.0.0.1:${port}`) : []);
  });

  it('should reach servers without TLS through the proxy, too', async () => {
    vi.stubEnv('HTTP_PROXY', proxy.url);
    expect(await ask(connect({ server: `http://127.0.0.1:${plainPort}` }, { trustEnv: true }))).toBe('plain');
    expect(proxy.tunnels).toEqual([`127.0.0.1:${plainPort}`]);
  });

  it('should not care for the environment unless it is told to', async () => {
    vi.stubEnv('HTTPS_PROXY', proxy.url);
    expect(await ask(connect({}))).toBe('nobody');
    expect(await ask(connect({ trustEnv: false }, { trustEnv: true }))).toBe('nobody');
    expect(proxy.tunnels).toEqual([]);
  });

  it('should prefer the proxy of the credentials to that of the environment', async () => {
    vi.stubEnv('HTTPS_PROXY', 'http://127.0.0.1:1');
    expect(await ask(connect({ proxyUrl: proxy.url }, { trustEnv: true }))).toBe('nobody');
    expect(proxy.tunnels).toHaveLength(1);
  });
});
