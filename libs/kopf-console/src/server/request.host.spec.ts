import type { IncomingMessage } from 'node:http';
import { checkHost } from './request.host.js';

function isServed(host: string | undefined, from: string, hosts?: readonly string[]): boolean {
  const raw = { headers: { host }, socket: { remoteAddress: from } } as unknown as IncomingMessage;
  try {
    checkHost({ raw }, hosts);
    return true;
  } catch (error) {
    expect(error).toMatchObject({ status: 403, message: expect.stringContaining('the option hosts') });
    return false;
  }
}

describe('The host of a request', () => {
  it.each([
    ['localhost:3000', true],
    ['kopf.localhost:3000', true],
    ['127.0.0.1:3000', true],
    ['[::1]:3000', true],
    ['10.1.2.3', true],
    [undefined, true],
    ['evil.example', false],
    ['evil.example:3000', false],
    ['localhost.evil.example:3000', false],
    ['127.0.0.1.evil.example', false],
  ])('should be a local one where the connection comes from this machine: %s', (host, expected) => {
    for (const from of ['127.0.0.1', '::1', '::ffff:127.0.0.1']) expect(isServed(host, from)).toBe(expected);
  });

  it('should be any where the connection comes from elsewhere', () => {
    expect(isServed('ops.example.com', '10.1.2.3')).toBe(true);
    expect(isServed('ops.example.com', '::ffff:10.1.2.3')).toBe(true);
  });

  it('should be one of those that are allowed, wherever the connection comes from', () => {
    for (const from of ['127.0.0.1', '10.1.2.3']) {
      expect(isServed('OPS.example.com:8443', from, ['ops.example.com'])).toBe(true);
      expect(isServed('localhost', from, ['ops.example.com'])).toBe(false);
    }
  });
});
