import { WebhookServer } from './webhook.server.js';
import { send, serve } from '../../../../../../test/support/served.webhooks.js';

describe('WebhookServer', () => {
  it('should answer reviews over TLS with a certificate of its own', async () => {
    const { config } = await serve(new WebhookServer({ addr: '127.0.0.1' }));
    expect(config.url).toMatch(/^https:\/\/127\.0\.0\.1:\d+$/);
    const reply = await send(config, { path: '/validate' });
    expect(reply).toMatchObject({ status: 200, body: { response: { uid: 'u-1', allowed: true } } });
  });
});
