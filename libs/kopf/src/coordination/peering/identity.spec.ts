import { SeededRandom } from 'kube-common';
import { VirtualClock } from '../../testing/time/virtual.clock.js';
import { detectIdentity, personalIdentity, type HostEnvironment } from './identity.js';

const host: HostEnvironment = { variables: {}, user: () => 'me', host: () => 'laptop' };

describe('detectIdentity', () => {
  it('should be the name of the pod', () => {
    const variables = { POD_ID: 'operator-123' };
    expect(detectIdentity(new VirtualClock(), new SeededRandom(1), { ...host, variables })).toBe('operator-123');
  });

  it('should be the user, the host, the time, and three characters', () => {
    const identity = detectIdentity(new VirtualClock(), new SeededRandom(1), host);
    expect(identity).toMatch(/^me@laptop\/20201231235959\/[abcdefhijklmnopqrstuvwxyz0-9]{3}$/);
  });

  it('should have none but the allowed characters, and all of them', () => {
    const random = new SeededRandom(2);
    const suffixes = Array.from({ length: 500 }, () => detectIdentity(new VirtualClock(), random, host).slice(-3));
    expect([...new Set(suffixes.join(''))].sort().join('')).toBe('0123456789abcdefhijklmnopqrstuvwxyz');
  });

  it('should be the same for a person at any time', () => {
    expect(personalIdentity(host)).toBe('me@laptop');
    expect(personalIdentity()).toMatch(/.+@.+/);
  });
});
