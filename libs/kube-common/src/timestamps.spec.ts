import { formatTimeSpan, formatTimestamp, parseTimestamp } from './timestamps.js';

describe('formatTimestamp', () => {
  it.each([
    [0, '1970-01-01T00:00:00.000000+00:00'],
    [Date.UTC(2020, 11, 31, 23, 59, 59, 123), '2020-12-31T23:59:59.123000+00:00'],
    [Date.UTC(2020, 11, 31, 23, 59, 59) + 123.456, '2020-12-31T23:59:59.123456+00:00'],
  ])('should format %s with six fractional digits', (time, expected) => {
    expect(formatTimestamp(time)).toBe(expected);
  });
});

describe('parseTimestamp', () => {
  const whole = Date.UTC(2020, 11, 31, 23, 59, 59);
  it.each<[unknown, number | undefined]>([
    ['2020-12-31T23:59:59.123456+00:00', whole + 123.456],
    ['2020-12-31T23:59:59.123456', whole + 123.456],
    ['2020-12-31 23:59:59', whole],
    ['2020-12-31T23:59:59Z', whole],
    ['2020-12-31t23:59:59z', whole],
    ['2021-01-01T01:59:59+02:00', whole],
    ['2021-01-01T01:59:59+0200', whole],
    ['2021-01-01T01:59:59+02', whole],
    ['2020-12-31T23:59:59.1', whole + 100],
    ['2020-12-31T23:59:59,123456789', whole + 123.456],
    ['2020-12-31', undefined],
    ['2020-13-31T23:59:59Z', undefined],
    ['yesterday', undefined],
    ['', undefined],
    [null, undefined],
    [undefined, undefined],
    [1609459199, undefined],
  ])('should parse %s', (text, expected) => {
    const parsed = parseTimestamp(text);
    if (expected === undefined) expect(parsed).toBeUndefined();
    else expect(parsed).toBeCloseTo(expected, 3);
  });

  it('should lose no microseconds when they are formatted again', () => {
    for (let micros = 0; micros < 1_000_000; micros += 997) {
      const text = `2026-11-21T07:00:00.${String(micros).padStart(6, '0')}+00:00`;
      expect(formatTimestamp(parseTimestamp(text)!)).toBe(text);
    }
  });
});

describe('formatTimeSpan', () => {
  it.each([
    [0, '0:00:00'],
    [0.3, '0:00:00.300000'],
    [8.111854, '0:00:08.111854'],
    [7.42298193359375, '0:00:07.422982'],
    [59.9999999, '0:01:00'],
    [4200, '1:10:00'],
    [86_399.5, '23:59:59.500000'],
    [86_400, '1 day, 0:00:00'],
    [180_061.000001, '2 days, 2:01:01.000001'],
  ])('should format %d seconds as Kopf does', (seconds, text) => {
    expect(formatTimeSpan(seconds)).toBe(text);
  });
});
