import { once } from 'node:events';
import { createServer as createHttpServer } from 'node:http';
import { createServer } from 'node:https';
import type { AddressInfo, Socket } from 'node:net';
import { createServerIdentity, type ServerIdentity } from '../../../access/certificate.authority.js';
import { HttpsWebhookTransport } from './https-webhook.transport.js';

const UNVERIFIED = 'tls: failed to verify certificate: x509: ';

describe('HttpsWebhookTransport', () => {
  const sockets = new Set<Socket>();
  const transport = new HttpsWebhookTransport();
  let identity: ServerIdentity;
  let server: ReturnType<typeof createServer>;
  let port: number;
  let hosts: string[];

  beforeAll(async () => {
    identity = await createServerIdentity(Date.now(), ['hooks.team.svc', '127.0.0.1']);
    server = createServer({ cert: identity.certificate, key: identity.privateKey }, (request, response) => {
      hosts.push(request.headers.host ?? '');
      if (request.url === '/hang') return;
      if (request.url === '/break') return void request.socket.destroy();
      response.writeHead(201, { 'x-path': request.url });
      request.pipe(response);
    });
    server.on('secureConnection', (socket) => sockets.add(socket));
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    ({ port } = server.address() as AddressInfo);
  });
  beforeEach(() => {
    hosts = [];
  });
  afterAll(async () => {
    await transport.close();
    server.close();
    server.closeAllConnections();
  });

  const post = (url: string, more: { endpoint?: string; caBundle?: string; signal?: AbortSignal } = {}) =>
    transport.post({
      url,
      headers: { 'content-type': 'application/json' },
      body: '{"a":"ü"}',
      caBundle: identity.caCertificate,
      signal: new AbortController().signal,
      ...more,
    });

  it('should send the review, give the whole answer, and use the connection again', async () => {
    const before = sockets.size;
    for (const path of ['/one?timeout=1s', '/two?timeout=1s']) {
      const answer = await post(`https://127.0.0.1:${port}${path}`);
      expect(answer).toMatchObject({ status: 201, body: '{"a":"ü"}', headers: { 'x-path': path } });
    }
    expect(sockets.size).toBe(before + 1);
  });

  it('should ask a service at its endpoint, under its name', async () => {
    await post('https://hooks.team.svc:443/x', { endpoint: `https://127.0.0.1:${port}` });
    expect(hosts).toEqual(['hooks.team.svc']);
    const other = post('https://other.team.svc:443/x', { endpoint: `https://127.0.0.1:${port}` });
    await expect(other).rejects.toThrow(`${UNVERIFIED}certificate is valid for hooks.team.svc, not other.team.svc`);
  });

  it('should trust the certificate itself, without the authority that has signed it', async () => {
    const { status } = await post(`https://127.0.0.1:${port}/x`, { caBundle: identity.certificate });
    expect(status).toBe(201);
  });

  it('should not trust what another authority vouches for', async () => {
    const { caCertificate } = await createServerIdentity(Date.now(), ['127.0.0.1']);
    const asked = post(`https://127.0.0.1:${port}/x`, { caBundle: caCertificate });
    await expect(asked).rejects.toThrow(`${UNVERIFIED}certificate signed by unknown authority`);
    await expect(
      transport.post({
        url: `https://127.0.0.1:${port}/x`,
        headers: {},
        body: '',
        signal: new AbortController().signal,
      }),
    ).rejects.toThrow('unknown authority');
  });

  it('should say when nobody listens, the connection breaks, or it is not HTTPS', async () => {
    const plain = createHttpServer().listen(0, '127.0.0.1');
    await once(plain, 'listening');
    const { port: plainPort } = plain.address() as AddressInfo;
    await expect(post(`https://127.0.0.1:${plainPort}/x`)).rejects.toThrow(
      'http: server gave HTTP response to HTTPS client',
    );
    plain.close();
    await once(plain, 'close');
    await expect(post(`https://127.0.0.1:${plainPort}/x`)).rejects.toThrow(
      `dial tcp 127.0.0.1:${plainPort}: connect: connection refused`,
    );
    await expect(post(`https://127.0.0.1:${port}/break`)).rejects.toThrow('EOF');
  });

  it('should end with the reason of the signal', async () => {
    const controller = new AbortController();
    const asked = post(`https://127.0.0.1:${port}/hang`, { signal: controller.signal });
    controller.abort(new Error('context deadline exceeded'));
    await expect(asked).rejects.toThrow('context deadline exceeded');
  });
});
