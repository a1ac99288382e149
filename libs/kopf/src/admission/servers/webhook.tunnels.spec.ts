import { send, serve } from '../../../../../test/support/webhooks/served.webhooks.js';
import { type Ngrok, type NgrokListener, WebhookAutoTunnel, WebhookNgrokTunnel } from './webhook.tunnels.js';

/** A tunnel that is only written down. */
class FakeNgrok implements Ngrok {
  readonly opened: Readonly<Record<string, unknown>>[] = [];
  closed = 0;

  constructor(private readonly failure?: Error) {}

  async forward(options: Readonly<Record<string, unknown>>): Promise<NgrokListener> {
    this.opened.push(options);
    return {
      url: () => 'https://random.ngrok.example/',
      close: () => (this.closed++, this.failure ? Promise.reject(this.failure) : Promise.resolve()),
    };
  }
}

describe('WebhookNgrokTunnel', () => {
  it('should lead to a local server, and be closed with it', async () => {
    const ngrok = new FakeNgrok();
    const server = new WebhookNgrokTunnel({ token: 'secret', domain: 'a.example', path: '/xyz' }, async () => ngrok);
    const { config, stop, context } = await serve(server);
    expect(config).toEqual({ url: 'https://random.ngrok.example/xyz' });
    const addr = expect.stringMatching(/^127\.0\.0\.1:\d+$/);
    expect(ngrok.opened).toEqual([
      { addr, proto: 'http', schemes: ['https'], authtoken: 'secret', domain: 'a.example' },
    ]);
    expect((await send({ url: `http://${ngrok.opened[0].addr}/xyz` })).status).toBe(200);
    expect(context.logger.messages().join()).not.toContain('secret');
    await stop();
    expect(ngrok.closed).toBe(1);
    await expect(send({ url: `http://${ngrok.opened[0].addr}/xyz` }, { agent: false })).rejects.toThrow('ECONNREFUSED');
  });

  it('should stop even if the tunnel cannot be closed', async () => {
    const ngrok = new FakeNgrok(new Error('gone'));
    const { stop, context } = await serve(new WebhookNgrokTunnel({}, async () => ngrok));
    expect(ngrok.opened[0]).toMatchObject({ authtoken_from_env: true });
    await stop();
    expect(context.logger.messages('warn')).toEqual(['The tunnel of ngrok could not be closed: gone']);
  });

  it.each([
    ['WebhookNgrokTunnel', WebhookNgrokTunnel],
    ['WebhookAutoTunnel', WebhookAutoTunnel],
  ])('should name the options that are wrong: %s', async (name, Tunnel) => {
    const options = { tokn: 'secret', port: '80' } as object;
    await expect(serve(new Tunnel(options, async () => new FakeNgrok()))).rejects.toMatchObject({
      errors: [
        `${name}: option 'tokn' does not exist; did you mean token?`,
        `${name}: option 'port' must be a whole number, not negative`,
      ],
    });
  });

  it('should say which package is missing', async () => {
    await expect(serve(new WebhookNgrokTunnel())).rejects.toThrow(
      'A tunnel of ngrok needs its package, npm install @ngrok/ngrok: ',
    );
  });
});

describe('WebhookAutoTunnel', () => {
  it('should tunnel only for unknown clusters', async () => {
    const ngrok = new FakeNgrok();
    const local = { cluster: { gitVersion: async () => 'v1.36.3+k3s1' } };
    const server = new WebhookAutoTunnel({ addr: '127.0.0.1' }, async () => ngrok);
    const { config } = await serve(server, undefined, local);
    expect(config.url).toMatch(/^https:\/\/host\.k3d\.internal:\d+$/);
    expect(ngrok.opened).toEqual([]);
    expect((await serve(server)).config.url).toBe('https://random.ngrok.example');
  });
});
