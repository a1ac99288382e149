import { createWebhookClientConfig, createWebhookName } from './webhooks.js';

describe('makeWebhookName', () => {
  it.each([
    ['my_fn', '', 'my-fn'],
    ['my_fn/spec.field', 'example.com', 'my-fn.spec.field.example.com'],
    ['a b', '', 'a20b'],
    ['é€', '', 'ée282ac'],
    ['😀', '', 'f09f9880'],
  ])('should convert %j with the suffix %j to %j', (id, suffix, name) => {
    expect(createWebhookName(id, suffix)).toBe(name);
  });
});

describe('makeWebhookClientConfig', () => {
  it('should append the id to the URL', () => {
    const config = { url: 'https://host:9443/path//', caBundle: 'x' };

    expect(createWebhookClientConfig(config, "fn/spec.a (b)!*'")).toEqual({
      url: 'https://host:9443/path/fn/spec.a%20%28b%29%21%2A%27',
      caBundle: 'x',
    });
    expect(config.url).toBe('https://host:9443/path//');
  });

  it("should append the id to the service's path", () => {
    const service = { name: 's', namespace: 'n', port: 443 };

    expect(createWebhookClientConfig({ service }, 'fn')).toEqual({ service: { ...service, path: '/fn' } });
    expect(createWebhookClientConfig({ service: { ...service, path: null } }, 'fn').service?.path).toBe('/fn');
    expect(createWebhookClientConfig({ service: { ...service, path: '/x' } }, 'fn').service?.path).toBe('/x/fn');
    expect(service).not.toHaveProperty('path');
  });
});
