import { backoffDelay } from './backoff.js';

describe('a backoff', () => {
  it.each([
    [0, 0],
    [1, 10],
    [2, 20],
    [3, 40],
    [5, 160],
    [6, 300],
    [2000, 300],
  ])('should wait after %i failures for %i', (failures, delay) => {
    expect(backoffDelay({ first: 10, longest: 300 }, failures)).toBe(delay);
  });
});
