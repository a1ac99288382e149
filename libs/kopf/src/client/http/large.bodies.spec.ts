import { once } from 'node:events';
import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { MemoryLogger } from '../../../../../test/support/telemetry/memory.logger.js';
import { NetworkingSettings, WatchingSettings } from '../../settings/client.settings.js';
import { SeededRandom, SystemClock } from 'kube-common';
import { KubeApi } from '../api/api.client.js';
import { HttpTransport } from './http.transport.js';
import { Vault } from '../vault/vault.js';

const MEGABYTE = 2 ** 20;

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;

/** The memory in use: of objects, and of bytes. */
function memory(): { heap: number; bytes: number } {
  const { heapUsed, external } = process.memoryUsage();
  return { heap: heapUsed / MEGABYTE, bytes: external / MEGABYTE };
}

describe('Bodies of many megabytes', () => {
  let server: Server;
  let vault: Vault;
  let api: KubeApi;

  async function serve(listener: RequestListener): Promise<void> {
    server = createServer(listener);
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const info = { server: `http://127.0.0.1:${(server.address() as AddressInfo).port}` };
    const [clock, logger, networking] = [new SystemClock(), new MemoryLogger(), new NetworkingSettings()];
    const settings = { networking, watching: new WatchingSettings() };
    const createTransport = (): HttpTransport => new HttpTransport(info, settings, clock);
    const login = () => Promise.resolve(new Map([['test', info]]));
    vault = new Vault({ login, createTransport, clock, random: new SeededRandom(1), logger });
    api = new KubeApi(vault, networking, clock, logger);
  }

  afterEach(async () => {
    await vault.close();
    server.closeAllConnections();
    server.close();
  });

  it('should come as one page, without being kept twice, and leave nothing behind', { timeout: 60_000 }, async () => {
    const item = JSON.stringify({
      metadata: { name: 'größer', uid: 'x'.repeat(36) },
      data: { text: 'y'.repeat(30_000) },
    });
    const count = 2_000;
    let mostBytes = 0;
    await serve(async (_, response) => {
      response.write('{"kind":"ConfigMapList","apiVersion":"v1","metadata":{},"items":[');
      for (let index = 0; index < count; index += 1) {
        if (!response.write(index === 0 ? item : `,${item}`)) await once(response, 'drain');
        if (index % 100 === 0) mostBytes = Math.max(mostBytes, memory().bytes);
      }
      response.end(']}');
    });
    await api.get('/');
    collectGarbage();
    const before = memory();
    mostBytes = 0;
    let page: Awaited<ReturnType<KubeApi['list']>> | undefined = await api.list('/');
    expect([page.items.length, page.items.at(-1)?.metadata.name]).toEqual([count, 'größer']);
    expect(mostBytes).toBeLessThan(40);
    page = undefined;
    collectGarbage();
    await pause(10);
    collectGarbage();
    expect(memory().heap - before.heap).toBeLessThan(10);
  });

  it('should be sent as they are', async () => {
    let received = 0;
    await serve(async (request, response) => {
      for await (const chunk of request as AsyncIterable<Buffer>) received += chunk.length;
      response.end('{}');
    });
    const text = 'z'.repeat(60 * MEGABYTE);
    expect(await api.put('/', { text })).toEqual({});
    expect(received).toBe(text.length + '{"text":""}'.length);
  });

  it('should be streamed as slowly as they are read', { timeout: 60_000 }, async () => {
    const line = Buffer.alloc(64 * 1024, 'a line\n');
    const total = 200 * MEGABYTE;
    let sent = 0;
    await serve(async (_, response) => {
      for (; sent < total; sent += line.length) if (!response.write(line)) await once(response, 'drain');
      response.end();
    });
    collectGarbage();
    const before = memory();
    const response = await api.stream('/logs');
    const chunks = response.chunks()[Symbol.asyncIterator]();
    let read = ((await chunks.next()).value as Uint8Array).length;
    await pause(200);
    expect(sent).toBeLessThan(20 * MEGABYTE);
    let most = 0;
    let count = 0;
    for (let chunk = await chunks.next(); !chunk.done; chunk = await chunks.next()) {
      read += chunk.value.length;
      if ((count += 1) % 100 === 0) most = Math.max(most, memory().bytes + memory().heap);
    }
    expect(read).toBe(total);
    expect(most - before.heap - before.bytes).toBeLessThan(60);
  });
});
