import { requestTimeout } from './request.timeout.js';

describe('requestTimeout', () => {
  it.each([
    ['', undefined],
    ['timeout=', undefined],
    ['timeout=90s', 90_000],
    ['timeout=1m30s', 90_000],
    ['timeout=1.5h', 5_400_000],
    ['timeout=-5s', -5000],
    ['timeout=.5ms', 0.5],
    ['timeout=0', 0],
  ])('should read %j as %s ms', (query, milliseconds) => {
    expect(requestTimeout(new URLSearchParams(query))).toBe(milliseconds);
  });

  it.each([
    ['bad', 'time: invalid duration "bad"'],
    ['5', 'time: missing unit in duration "5"'],
    ['5x', 'time: unknown unit "x" in duration "5x"'],
    ['-', 'time: invalid duration "-"'],
    ['5s.', 'time: invalid duration "5s."'],
  ])('should refuse %s', (timeout, problem) => {
    expect(() => requestTimeout(new URLSearchParams({ timeout }))).toThrow(
      `invalid timeout specified in the request URL - ${problem}`,
    );
  });
});
