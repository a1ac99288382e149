import { findProxy } from './proxy.environment.js';

const PROXY = 'http://proxy:3128';

/**
 * What `httpproxy.Config.ProxyFunc()` of golang.org/x/net 0.51 decides, row by row, with two exceptions: Go takes no spaces for separators, and
 * no brackets without a port.
 */
describe('NO_PROXY', () => {
  it.each([
    ['https://10.1.2.3:6443', '10.0.0.0/8', false],
    ['https://10.1.2.3:6443', '10.1.2.99/24', false],
    ['https://11.1.2.3:6443', '10.0.0.0/8', true],
    ['https://10.1.2.3:6443', '0.0.0.0/0', false],
    ['https://10.1.2.3:6443', '10.0.0.0/33', true],
    ['https://10.1.2.3:6443', '10.0.0.0/x', true],
    ['https://ten.example.com', '10.0.0.0/8', true],
    ['https://10.1.2.3', '10.1.2.3', false],
    ['https://10.1.2.3', '10.1.2.4', true],
    ['https://10.1.2.3:6443', '10.1.2.3:6443', false],
    ['https://10.1.2.3:6443', '10.1.2.3:443', true],
    ['https://10.1.2.3', '10.1.2.3:443', false],
    ['http://10.1.2.3', '10.1.2.3:80', false],
    ['https://[fd00::1]:6443', 'fd00::/8', false],
    ['https://[fe80::1]:6443', 'fd00::/8', true],
    ['https://[fd00::1]:6443', 'fd00::1', false],
    ['https://[fd00::1]:6443', 'fd00:0:0::1', false],
    ['https://[fd00::1]:6443', '[fd00::1]:6443', false],
    ['https://[fd00::1]:6443', '[fd00::1]:443', true],
    ['https://[fd00::1]:6443', '[fd00::1]', false],
    ['https://[fd00::1]:6443', '10.0.0.0/8', true],
    ['https://[::ffff:10.1.2.3]', '10.0.0.0/8', false],
    ['https://example.com', 'example.com', false],
    ['https://EXAMPLE.com', 'Example.COM', false],
    ['https://api.example.com', 'example.com', false],
    ['https://notexample.com', 'example.com', true],
    ['https://example.com', '.example.com', true],
    ['https://api.example.com', '.example.com', false],
    ['https://a.b.example.com', '.example.com', false],
    ['https://example.com', '*.example.com', true],
    ['https://api.example.com', '*.example.com', false],
    ['https://api.example.com', '*example.com', true],
    ['https://api.example.com:6443', 'example.com:6443', false],
    ['https://api.example.com', 'example.com:6443', true],
    ['https://api.example.com', '.example.com:443', false],
    ['https://example.com', '*', false],
    ['https://10.1.2.3', 'x, * ,y', false],
    ['https://example.com', 'other.com , example.com', false],
    ['https://example.com', 'other.com example.com', false],
    ['https://example.com', ',, ,', true],
    ['https://example.com', '.', true],
    ['https://example.com', ':443', true],
    ['https://kubernetes.default.svc', '.svc', false],
    ['https://xn--mnchen-3ya.de', 'münchen.de', false],
  ])('should decide for %s with "%s": through the proxy is %s', (server, list, isProxied) => {
    const found = findProxy(new URL(server), { HTTPS_PROXY: PROXY, HTTP_PROXY: PROXY, NO_PROXY: list });
    expect(found).toBe(isProxied ? PROXY : undefined);
    expect(findProxy(new URL(server), { https_proxy: PROXY, http_proxy: PROXY, no_proxy: list })).toBe(found);
  });
});

describe('The proxy of the environment', () => {
  it.each([
    ['https://a', { HTTPS_PROXY: 'http://one', HTTP_PROXY: 'http://two' }, 'http://one'],
    ['http://a', { HTTPS_PROXY: 'http://one', HTTP_PROXY: 'http://two' }, 'http://two'],
    ['http://a', { HTTPS_PROXY: 'http://one' }, undefined],
    ['https://a', { HTTP_PROXY: 'http://two' }, 'http://two'],
    ['https://a', { HTTPS_PROXY: '', https_proxy: 'http://one' }, 'http://one'],
    ['https://a', { HTTPS_PROXY: 'proxy:3128' }, 'http://proxy:3128'],
    ['https://a', { HTTPS_PROXY: 'https://proxy' }, 'https://proxy'],
    ['https://a', {}, undefined],
  ])('should be found for %s with %j: %s', (server, environment, proxy) => {
    expect(findProxy(new URL(server), environment)).toBe(proxy);
  });
});
