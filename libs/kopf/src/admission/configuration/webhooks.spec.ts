import {
  createWebhookClientConfig,
  createWebhookName,
  findNameViolations,
  nameServicePath,
  nameWebhook,
} from './webhooks.js';
import type { AdmissionHandler } from '../../registry/handler.js';

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

const handler = (id: string, source = id) => ({ id, source, kind: 'validate' }) as AdmissionHandler;

describe('names of webhooks', () => {
  it.each([
    ['checkSize', 'checksize.my.op.com'],
    ['my_fn', 'my-fn.my.op.com'],
    ['fn/spec.sizeLimit', 'fn.spec.sizelimit.my.op.com'],
    ['a b', 'a20b.my.op.com'],
  ])('should be made of %s', (id, name) => {
    expect(nameWebhook(id, 'my.op.com')).toBe(name);
  });

  it.each([
    ['check', 'check'],
    ['fn/spec.field', 'fn/spec.field'],
    ['checkSize', 'checksize'],
    ['my_fn/spec.sizeLimit', 'my-fn/spec.sizelimit'],
    ['a b', 'a20b'],
  ])('should lead services to %s', (id, path) => {
    expect(nameServicePath(id)).toBe(path);
  });

  it.each<[string[], string[]]>([
    [['a', 'B', 'c/d.e'], []],
    [['a', 'a'], []],
    [['_a'], ["_a: the id '_a' makes '-a.my.op', which is no valid name"]],
    [['ü'], ["ü: the id 'ü' makes 'ü.my.op', which is no valid name"]],
    [['a..b'], ["a..b: the id 'a..b' makes"]],
    [['x'.repeat(250)], ['no valid name']],
    [['aB', 'Ab'], ["aB and Ab: the ids 'aB' and 'Ab' make one webhook 'ab.my.op'"]],
    [['a_b', 'a-b'], ["the ids 'a_b' and 'a-b' make one webhook"]],
  ])('should find what is wrong with %j', (ids, violations) => {
    const found = findNameViolations(
      ids.map((id) => handler(id)),
      'my.op',
    );
    expect(found).toEqual(violations.map((violation) => expect.stringContaining(violation)));
  });

  it('should need three parts', () => {
    expect(findNameViolations([handler('a')], 'op')).toHaveLength(1);
  });
});
