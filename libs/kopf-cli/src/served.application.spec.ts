import { parseListenAddress } from './served.application.js';

describe('The address of --listen', () => {
  it.each([
    ['3000', '127.0.0.1', 3000],
    ['0', '127.0.0.1', 0],
    ['0.0.0.0:8080', '0.0.0.0', 8080],
    ['localhost:3000', 'localhost', 3000],
    ['[::1]:3000', '::1', 3000],
  ])('should be a port on this machine, or an address with a port: %s', (text, host, port) => {
    expect(parseListenAddress(text)).toEqual({ host, port });
  });

  it.each(['', 'http', ':3000', '70000', '::1', 'localhost:', '-1', 'http://localhost:3000'])(
    'should not be anything else: %s',
    (text) => {
      expect(() => parseListenAddress(text)).toThrow('It must be a port, or an address and a port.');
    },
  );
});
