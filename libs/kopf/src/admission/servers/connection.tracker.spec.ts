import { Agent } from 'node:http';
import { connect } from 'node:net';
import { allowance, deferred, makeContext, send, serve } from '../../../../../test/support/webhooks/served.webhooks.js';
import type { WebhookClientConfig } from '../../reviews/webhook-client.config.js';
import { VirtualClock } from '../../testing/time/virtual.clock.js';
import { WebhookServer } from './webhook.server.js';

const LOCAL = { addr: '127.0.0.1', insecure: true } as const;

describe('the closing of a WebhookServer', () => {
  let clock: VirtualClock;
  let agent: Agent;

  beforeEach(() => {
    clock = new VirtualClock();
    agent = new Agent({ keepAlive: true });
  });

  afterEach(() => agent.destroy());

  async function serveSlowly(options: Partial<ConstructorParameters<typeof WebhookServer>[0]> = {}) {
    const decision = deferred<void>();
    const asked = deferred<void>();
    const review = async () => {
      asked.resolve();
      await decision.promise;
      return allowance();
    };
    return { ...(await serve(new WebhookServer({ ...LOCAL, ...options }), review, { clock })), asked, decision };
  }

  it('should not leave it open if it is stopped while it starts', async () => {
    const { controller, context } = makeContext();
    const iterator = new WebhookServer({ addr: '127.0.0.1' }).serve(async () => allowance(), context);
    const first = iterator.next();
    controller.abort();
    const config = (await first).value as WebhookClientConfig;
    expect(await iterator.next()).toEqual({ done: true, value: undefined });
    await expect(send(config)).rejects.toThrow('ECONNREFUSED');
  });

  it('should close when the iteration is left', async () => {
    const { context } = makeContext();
    let left: WebhookClientConfig | undefined;
    for await (const config of new WebhookServer(LOCAL).serve(async () => allowance(), context)) {
      left = config;
      break;
    }
    await expect(send(left!)).rejects.toThrow('ECONNREFUSED');
  });

  it('should wait for answers in progress, and take no new connections', async () => {
    const { config, stop, asked, decision } = await serveSlowly();
    const reply = send(config, { agent });
    await asked.promise;
    const stopped = stop();
    await expect(send(config, { agent: false })).rejects.toThrow('ECONNREFUSED');
    decision.resolve();
    expect(await reply).toMatchObject({ status: 200, headers: { connection: 'close' } });
    await stopped;
    expect(clock.pending).toBe(0);
  });

  it('should not wait for ever', async () => {
    const { config, stop, asked } = await serveSlowly({ closeTimeout: 10 });
    const reply = send(config);
    await asked.promise;
    const failed = expect(reply).rejects.toThrow('socket hang up');
    await Promise.all([clock.runUntil(stop()), failed]);
    expect(clock.monotonic()).toBe(10_000);
  });

  it('should close idle connections at once', async () => {
    const { config, stop, decision } = await serveSlowly();
    decision.resolve();
    expect((await send(config, { agent })).status).toBe(200);
    await stop();
    expect(clock.monotonic()).toBe(0);
  });

  it('should give new connections a moment for their first request', async () => {
    const { config, stop, decision } = await serveSlowly();
    decision.resolve();
    const port = Number(new URL(config.url!).port);
    const socket = connect(port, '127.0.0.1');
    await new Promise((resolve) => socket.once('connect', resolve));
    expect((await send(config, { agent })).status).toBe(200);
    const stopped = stop();
    const answered = new Promise((resolve) => socket.once('data', (data) => resolve(data.toString())));
    socket.write('POST / HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\ncontent-length: 2\r\n\r\n{}');
    expect(await answered).toContain('HTTP/1.1 200');
    await stopped;
    expect(clock.monotonic()).toBe(0);
  });

  it('should end connections that never send anything', async () => {
    const { config, stop } = await serveSlowly();
    const socket = connect(Number(new URL(config.url!).port), '127.0.0.1');
    await new Promise((resolve) => socket.once('connect', resolve));
    const ended = new Promise((resolve) => socket.once('close', resolve));
    socket.resume();
    await clock.runUntil(stop());
    await ended;
    expect(clock.monotonic()).toBe(1000);
  });

  it('should still take connections for the delay', async () => {
    const { config, stop, decision } = await serveSlowly({ closeDelay: 5 });
    decision.resolve();
    const stopped = stop();
    expect((await send(config, { agent })).status).toBe(200);
    await clock.advance(5000);
    await stopped;
    await expect(send(config, { agent: false })).rejects.toThrow('ECONNREFUSED');
  });

  it('should use no connection twice any more during the delay, nor close one before', async () => {
    const { config, stop, decision } = await serveSlowly({ closeDelay: 5 });
    decision.resolve();
    expect((await send(config, { agent })).headers.connection).toBe('keep-alive');
    const [idle] = Object.values(agent.freeSockets).flat();
    const stopped = stop();
    await clock.advance(4000);
    expect(idle!.destroyed).toBe(false);
    expect((await send(config, { agent })).headers.connection).toBe('close');
    await clock.advance(1000);
    await stopped;
  });
});
