import { humanDuration } from './human.duration.js';

const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
const YEAR = 365 * DAY;

describe('humanDuration', () => {
  it.each([
    [-2 * SECOND, '<invalid>'],
    [-1 * SECOND, '0s'],
    [-1, '0s'],
    [0, '0s'],
    [1999, '1s'],
    [119 * SECOND, '119s'],
    [2 * MINUTE, '2m'],
    [2 * MINUTE + SECOND, '2m1s'],
    [10 * MINUTE + SECOND, '10m'],
    [179 * MINUTE, '179m'],
    [3 * HOUR, '3h'],
    [3 * HOUR + 59 * SECOND, '3h'],
    [7 * HOUR + 59 * MINUTE, '7h59m'],
    [8 * HOUR + MINUTE, '8h'],
    [47 * HOUR, '47h'],
    [2 * DAY, '2d'],
    [2 * DAY + HOUR, '2d1h'],
    [8 * DAY + HOUR, '8d'],
    [2 * YEAR - DAY, '729d'],
    [2 * YEAR, '2y'],
    [2 * YEAR + DAY, '2y1d'],
    [8 * YEAR + DAY, '8y'],
  ])('should print %d ms as %s', (milliseconds, expected) => {
    expect(humanDuration(milliseconds)).toBe(expected);
  });
});
