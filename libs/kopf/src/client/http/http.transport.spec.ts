import { createServer, type IncomingMessage, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Duplex } from 'node:stream';
import { inspect } from 'node:util';
import type { KubeResponse } from 'kube-common';
import type { ConnectionInfo } from '../vault/connection-info.js';
import { NetworkingSettings, WatchingSettings } from '../../settings/client.settings.js';
import { VirtualClock } from '../../testing/time/virtual.clock.js';
import { HttpTransport } from './http.transport.js';
import { FencedRequestError } from './fenced-request.error.js';

const SECRET = 'c2VjcmV0LXRva2Vu';

describe('HttpTransport', () => {
  const clock = new VirtualClock();
  const closers: (() => Promise<unknown> | unknown)[] = [];

  afterEach(async () => {
    for (const close of closers.splice(0).reverse()) await close();
  });

  async function serve(listener: RequestListener): Promise<{ server: Server; url: string; port: number }> {
    const server = createServer(listener);
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    closers.push(() => {
      server.closeAllConnections();
      return new Promise((resolve) => server.close(resolve));
    });
    const { port } = server.address() as AddressInfo;
    return { server, url: `http://127.0.0.1:${port}`, port };
  }

  function connect(info: ConnectionInfo, networking: Partial<NetworkingSettings> = {}): HttpTransport {
    const settings = {
      networking: Object.assign(new NetworkingSettings(), networking),
      watching: new WatchingSettings(),
    };
    const transport = new HttpTransport(info, settings, clock);
    closers.push(() => transport.close());
    return transport;
  }

  async function headersOf(info: Omit<ConnectionInfo, 'server'>): Promise<IncomingMessage['headers']> {
    const { url } = await serve((request, response) => response.end(JSON.stringify(request.headers)));
    const response = await connect({ ...info, server: url }).request({ method: 'GET', path: '/', headers: {} });
    return JSON.parse(await response.text());
  }

  it('should send the request and give the response', async () => {
    const { url } = await serve((request, response) => {
      let body = '';
      request.on('data', (chunk) => (body += chunk));
      request.on('end', () => {
        response.writeHead(201, { 'X-Test': 'yes', 'Set-Cookie': ['a=1', 'b=2'] });
        response.end(`${request.method} ${request.url} ${body} ${request.headers['content-type']}`);
      });
    });
    const transport = connect({ server: `${url}/k8s/clusters/one/` });
    const response = await transport.request({
      method: 'POST',
      path: '/api/v1/pods?limit=1',
      headers: { 'content-type': 'application/json' },
      body: '{"ü":1}',
    });
    expect(response.status).toBe(201);
    expect(response.headers).toMatchObject({ 'x-test': 'yes', 'set-cookie': 'a=1, b=2' });
    expect(await response.text()).toBe('POST /k8s/clusters/one/api/v1/pods?limit=1 {"ü":1} application/json');
  });

  it.each<[string, Omit<ConnectionInfo, 'server'>, string | undefined]>([
    ['a token', { token: 'abc' }, 'Bearer abc'],
    ['a scheme and a token', { scheme: 'Digest', token: 'abc' }, 'Digest abc'],
    ['a scheme alone', { scheme: 'Negotiate' }, 'Negotiate'],
    ['a user and a password', { username: 'me', password: 'pass' }, 'Basic bWU6cGFzcw=='],
    ['nothing', {}, undefined],
  ])('should authorize by %s', async (_, info, expected) => {
    const headers = await headersOf(info);
    expect(headers.authorization).toBe(expected);
    expect(headers['user-agent']).toMatch(/^nestjs-kopf\/\d+\.\d+\.\d+/);
  });

  it('should act as another user if told so', async () => {
    expect(await headersOf({ token: 'abc', impersonateUser: 'jane' })).toMatchObject({ 'impersonate-user': 'jane' });
  });

  it('should read a rotated token file within a minute, and keep the token while the file is away', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'kopf-'));
    closers.push(() => rm(folder, { recursive: true }));
    const tokenPath = join(folder, 'token');
    await writeFile(tokenPath, 'first\n');
    const { url } = await serve((request, response) => response.end(request.headers.authorization));
    const transport = connect({ server: url, tokenPath, token: 'before' });
    const ask = async (): Promise<string> =>
      (await transport.request({ method: 'GET', path: '/', headers: {} })).text();
    expect(await ask()).toBe('Bearer first');
    await writeFile(tokenPath, 'second\n');
    expect(await ask()).toBe('Bearer first');
    await clock.advance(60_000);
    expect(await ask()).toBe('Bearer second');
    await rm(tokenPath);
    await clock.advance(60_000);
    expect(await ask()).toBe('Bearer before');
  });

  it('should not send a request that is fenced when a connection is free at last', async () => {
    const seen: (string | undefined)[] = [];
    const answers: (() => void)[] = [];
    const { url } = await serve((request, response) => {
      seen.push(request.url);
      answers.push(() => response.end());
      if (request.url === '/last') response.end();
      else arrived();
    });
    let arrived: () => void;
    const first = new Promise<void>((resolve) => (arrived = resolve));
    const transport = connect({ server: url }, { connections: 1 });
    const send = (path: string, isFenced: boolean): Promise<unknown> =>
      transport.request({ method: 'PATCH', path, headers: {}, isFenced: () => isFenced });
    const sent = [send('/first', false), send('/fenced', true), send('/last', false)];
    await first;
    answers[0]();
    const results = await Promise.allSettled(sent);
    expect(results.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
    expect(results[1]).toMatchObject({ reason: new FencedRequestError() });
    expect(seen).toEqual(['/first', '/last']);
  });

  it('should let an urgent request pass those that wait for a connection', async () => {
    const { url } = await serve((request, response) => {
      if (request.url === '/lease') response.end('renewed');
    });
    const transport = connect({ server: url }, { connections: 1 });
    const send = (path: string, urgent: boolean): ReturnType<typeof transport.request> =>
      transport.request({ method: 'PUT', path, headers: {}, urgent });
    const waiting = [send('/first', false), send('/second', false)];
    for (const each of waiting) each.catch(() => undefined);
    expect(await (await send('/lease', true)).text()).toBe('renewed');
  });

  it('should keep connections, share few of them, and use others for streams', async () => {
    const sockets = new Set<unknown>();
    const waiting: (() => void)[] = [];
    const { server, url } = await serve((request, response) => {
      if (request.url === '/watch') return void response.write('{}\n');
      waiting.push(() => response.end('ok'));
      // Only when all connections are busy, they are answered.
      if (waiting.length === 4) for (const answer of waiting.splice(0)) answer();
    });
    server.on('connection', (socket) => sockets.add(socket));
    const transport = connect({ server: url }, { connections: 4 });
    const stream = { method: 'GET', path: '/watch', headers: {}, streaming: true };
    await Promise.all(Array.from({ length: 20 }, () => transport.request(stream)));
    const ask = async (): Promise<string> =>
      (await transport.request({ method: 'GET', path: '/', headers: {} })).text();
    await Promise.all(Array.from({ length: 100 }, ask));
    expect(sockets.size).toBe(24);
  });

  it('should end a stream when the signal is aborted', async () => {
    const closed = createDeferred<void>();
    const { url } = await serve((_, response) => {
      response.write('one\n');
      response.on('close', () => closed.resolve());
    });
    const controller = new AbortController();
    const { signal } = controller;
    const response = await connect({ server: url }).request({
      method: 'GET',
      path: '/',
      headers: {},
      streaming: true,
      signal,
    });
    const seen: string[] = [];
    const reading = (async () => {
      for await (const chunk of response.chunks()) {
        seen.push(Buffer.from(chunk).toString());
        controller.abort(new Error('enough'));
      }
    })();
    await expect(reading).rejects.toThrow();
    await closed.promise;
    expect(seen).toEqual(['one\n']);
  });

  function openStream(url: string): Promise<KubeResponse> {
    return connect({ server: url }).request({ method: 'GET', path: '/', headers: {}, streaming: true });
  }

  it('should collect a stream as a text, with its status and headers', async () => {
    const { url } = await serve((_, response) => {
      response.writeEarlyHints({ link: '</style.css>; rel=preload' });
      response.writeHead(410, { 'X-Test': 'yes' });
      response.write('too ');
      setImmediate(() => response.end('old'));
    });
    const response = await openStream(url);
    expect(response).toMatchObject({ status: 410, headers: { 'x-test': 'yes' } });
    expect(await response.text()).toBe('too old');
  });

  it('should close the connection of a stream of which no more is consumed', async () => {
    const closed = createDeferred<void>();
    const { url } = await serve((_, response) => {
      response.write('one\n');
      response.on('close', () => closed.resolve());
    });
    for await (const chunk of (await openStream(url)).chunks()) {
      expect(Buffer.from(chunk).toString()).toBe('one\n');
      break;
    }
    await closed.promise;
  });

  it('should finish what is under way when it is retired, and take no more', async () => {
    const arrived = createDeferred<() => void>();
    const { url } = await serve((_, response) => arrived.resolve(() => response.end('late')));
    const transport = connect({ server: url });
    const request = { method: 'GET', path: '/', headers: {} };
    const answer = transport.request(request);
    const finish = await arrived.promise;
    const retired = transport.retire();
    await expect(transport.request(request)).rejects.toMatchObject({ code: 'UND_ERR_CLOSED' });
    finish();
    expect(await (await answer).text()).toBe('late');
    await retired;
  });

  it('should free the connection of a request that is never answered', async () => {
    const { url } = await serve(() => {});
    const transport = connect({ server: url }, { requestTimeout: 0.1 });
    const request = transport.request({ method: 'GET', path: '/', headers: {} });
    await expect(request).rejects.toMatchObject({ code: 'UND_ERR_HEADERS_TIMEOUT' });
  });

  it('should reach the server through a proxy', async () => {
    const { url } = await serve((_, response) => response.end('through'));
    const tunnels: string[] = [];
    const { server: proxy, url: proxyUrl } = await serve((_, response) => response.writeHead(400).end());
    proxy.on('connect', async (request, client) => {
      tunnels.push(request.url!);
      const { connect: open } = await import('node:net');
      const target = open(Number(new URL(url).port), '127.0.0.1', () => {
        client.write('HTTP/1.1 200 OK\r\n\r\n');
        target.pipe(client).pipe(target);
      });
      closers.push(() => {
        target.destroy();
        client.destroy();
      });
    });
    const response = await connect({ server: url, proxyUrl }).request({ method: 'GET', path: '/', headers: {} });
    expect(await response.text()).toBe('through');
    expect(tunnels).toEqual([new URL(url).host]);
  });

  it.each<[string, (client: Duplex) => void, RegExp]>([
    ['closes the connection', (client) => client.destroy(), /The proxy has closed the connection/],
    ['refuses', (client) => client.end('HTTP/1.1 407 Proxy Authentication Required\r\n\r\n'), /407/],
  ])('should fail, and not try without end, if the proxy %s', async (_, refuse, expected) => {
    let tunnels = 0;
    const { server: proxy, url: proxyUrl } = await serve((_request, response) => response.writeHead(400).end());
    proxy.on('connect', (_request, client) => {
      tunnels += 1;
      refuse(client);
    });
    const transport = connect({ server: 'https://127.0.0.1:1', proxyUrl });
    await expect(transport.request({ method: 'GET', path: '/', headers: {} })).rejects.toThrow(expected);
    expect(tunnels).toBe(1);
  });

  it('should name the file that cannot be read, and work once it can be', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'kopf-'));
    closers.push(() => rm(folder, { recursive: true }));
    const caPath = join(folder, 'ca.crt');
    const { url } = await serve((_, response) => response.end('ok'));
    const transport = connect({ server: url, caPath });
    const request = { method: 'GET', path: '/', headers: {} };
    await expect(transport.request(request)).rejects.toThrow(
      `Cannot read the caPath of the credentials: ${caPath}: ENOENT`,
    );
    await writeFile(caPath, '');
    expect((await transport.request(request)).status).toBe(200);
  });

  it('should show no secrets when it is printed', async () => {
    const { url } = await serve((_, response) => response.end('ok'));
    const transport = connect({ server: url, token: SECRET, password: SECRET, privateKeyData: SECRET });
    await transport.request({ method: 'GET', path: '/', headers: {} });
    expect(inspect(transport, { depth: 20, showHidden: true })).not.toContain(SECRET);
  });
});

function createDeferred<T>(): { promise: Promise<T>; resolve: (value: T) => void } {
  let resolve!: (value: T) => void;
  const promise = new Promise<T>((accept) => (resolve = accept));
  return { promise, resolve };
}
