import { claimLease, formatMicroTime, releaseLease, LeaseObservation } from './lease.js';

const NOW = Date.UTC(2020, 11, 31, 23, 59, 59);
const TIME = '2020-12-31T23:59:59.000000Z';
const EARLIER = '2020-12-31T23:00:00.000000Z';

describe('formatMicroTime', () => {
  it.each([
    [NOW, TIME],
    [NOW + 7, '2020-12-31T23:59:59.007000Z'],
    [NOW + 0.25, '2020-12-31T23:59:59.000250Z'],
  ])('should have six fractional digits: %d', (milliseconds, expected) => {
    expect(formatMicroTime(milliseconds)).toBe(expected);
  });
});

describe('claimLease', () => {
  const claimed = { holderIdentity: 'me', leaseDurationSeconds: 15, acquireTime: TIME, renewTime: TIME };

  it.each([
    ['a Lease that nobody had', undefined, { ...claimed, leaseTransitions: 0 }],
    ['an empty Lease', {}, { ...claimed, leaseTransitions: 1 }],
    [
      'the own Lease',
      { holderIdentity: 'me', acquireTime: EARLIER, leaseTransitions: 3 },
      { ...claimed, acquireTime: EARLIER, leaseTransitions: 3 },
    ],
    [
      "another one's Lease",
      { holderIdentity: 'you', acquireTime: EARLIER, leaseTransitions: 3, strategy: 'x' },
      { ...claimed, leaseTransitions: 4, strategy: 'x' },
    ],
    ['a released Lease', { holderIdentity: '', leaseTransitions: 3 }, { ...claimed, leaseTransitions: 4 }],
  ])('should take %s', (_what, spec, expected) => {
    expect(claimLease(spec, 'me', 15, NOW)).toEqual(expected);
  });

  it('should say whole seconds', () => {
    expect(claimLease(undefined, 'me', 1.2, NOW).leaseDurationSeconds).toBe(2);
  });
});

describe('releaseLease', () => {
  it('should let anybody take the Lease', () => {
    const spec = {
      holderIdentity: 'me',
      leaseDurationSeconds: 15,
      acquireTime: EARLIER,
      renewTime: EARLIER,
      leaseTransitions: 3,
    };
    expect(releaseLease(spec, NOW)).toEqual({
      holderIdentity: '',
      leaseDurationSeconds: 1,
      acquireTime: TIME,
      renewTime: TIME,
      leaseTransitions: 3,
    });
  });
});

describe('LeaseObservation', () => {
  const held = { holderIdentity: 'you', leaseDurationSeconds: 10, renewTime: EARLIER };

  it.each([
    ['no Lease', undefined, -Infinity],
    ['a Lease of nobody', { ...held, holderIdentity: '' }, -Infinity],
    ['the own Lease', { ...held, holderIdentity: 'me' }, -Infinity],
    ["another one's Lease", held, 1000 + 10_000],
    ["another one's Lease without a duration", { holderIdentity: 'you' }, 1000 + 15_000],
  ])('should know when one can take %s', (_what, spec, expected) => {
    const observation = new LeaseObservation();
    observation.observe(spec, 1000);
    expect(observation.freeAt('me', 15)).toBe(expected);
  });

  it('should count from the last change that it has seen, not by the times of others', () => {
    const observation = new LeaseObservation();
    observation.observe(held, 1000);
    observation.observe({ ...held }, 5000);
    expect(observation.freeAt('me', 15)).toBe(11_000);
    observation.observe({ ...held, renewTime: TIME }, 8000);
    expect(observation.freeAt('me', 15)).toBe(18_000);
  });
});
