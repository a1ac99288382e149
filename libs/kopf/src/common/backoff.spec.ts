import { Backoff, backoffDelay, type BackoffDelays } from './backoff.js';
import { SeededRandom } from 'kube-common';

describe('backoffDelay', () => {
  it.each<[string, BackoffDelays, readonly number[]]>([
    ['doubled up to the longest', { first: 1, longest: 10 }, [1, 2, 4, 8, 10, 10]],
    ['as they are listed, the last one again and again', [1, 5, 7], [1, 5, 7, 7]],
    ['doubled from the least one, if the first is shorter', { first: 0, longest: 1, leastDoubled: 0.1 }, [0, 0.2, 0.4]],
    ['longer than the longest for the first one only', { first: 60, longest: 30 }, [60, 30, 30]],
  ])('should be %s', (_, delays, expected) => {
    expect(expected.map((_delay, index) => backoffDelay(delays, index + 1))).toEqual(expected);
  });

  it('should stay finite after very many failures', () => {
    expect(backoffDelay({ first: 1, longest: Infinity }, 10_000)).toBe(2 ** 30);
  });
});

describe('Backoff', () => {
  it('should begin again after a success', () => {
    const backoff = new Backoff(() => ({ first: 1, longest: 60 }));
    expect([backoff.next(), backoff.next(), backoff.failures]).toEqual([1, 2, 2]);
    backoff.reset();
    expect([backoff.failures, backoff.next()]).toEqual([0, 1]);
  });

  it('should wait for as long as is asked for, at least', () => {
    const backoff = new Backoff(() => [1, 10]);
    expect([backoff.next(5), backoff.next(5)]).toEqual([5, 10]);
  });

  it('should shorten all but the first by up to a half, with randomness', () => {
    const backoff = new Backoff(() => ({ first: 8, longest: 8 }), new SeededRandom(1));
    expect(backoff.next()).toBe(8);
    const delays = Array.from({ length: 100 }, () => backoff.next());
    expect(Math.min(...delays)).toBeGreaterThanOrEqual(4);
    expect(Math.max(...delays)).toBeLessThan(8);
    expect(new Set(delays).size).toBe(100);
  });
});
