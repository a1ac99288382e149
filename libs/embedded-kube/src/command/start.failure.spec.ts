import { mkdirSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { describeFailure } from './start.failure.js';

const OPTIONS = { host: '127.0.0.1', port: 6443, data: 'cluster', kubeconfig: './config/kubeconfig' };

/** Returns the error of the system, as the server would get it. */
function errorOf(action: () => unknown): unknown {
  try {
    return action();
  } catch (error) {
    return error;
  }
}

describe('describeFailure', () => {
  it('should name the folder that cannot be used', () => {
    const error = errorOf(() => mkdirSync('/dev/null/cluster', { recursive: true }));
    expect(describeFailure(error, { ...OPTIONS, data: '/dev/null/cluster' })).toBe(
      'cannot use the folder /dev/null/cluster (--data): not a directory: /dev/null/cluster',
    );
  });

  it('should name the kubeconfig that cannot be written', () => {
    const error = errorOf(() => writeFileSync('/nowhere/config/kubeconfig', ''));
    expect(describeFailure(error, OPTIONS)).toBe(
      'cannot write the kubeconfig ./config/kubeconfig (--kubeconfig): no such file or directory',
    );
  });

  it.each([
    ['not.a.host.invalid', 0, 'cannot listen on port 0 of not.a.host.invalid: there is no such host'],
    ['203.0.113.1', 0, 'cannot listen on port 0 of 203.0.113.1: address not available'],
  ])('should name the address %s, where nothing can listen', async (host, port, expected) => {
    const error = await new Promise((resolve) => createServer().on('error', resolve).listen(port, host));
    expect(describeFailure(error, { ...OPTIONS, host, port })).toBe(expected);
  });

  it('should leave errors as they are that say themselves what is wrong', () => {
    expect(describeFailure(new Error('the journal is damaged'), OPTIONS)).toBe('the journal is damaged');
    expect(describeFailure('text', OPTIONS)).toBe('text');
  });
});
