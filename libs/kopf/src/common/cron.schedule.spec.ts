import { CronSchedule } from './cron.schedule.js';

/** The next times of a schedule after a given one. */
function timesOf(expression: string, timeZone: string | undefined, after: string, count = 2): string[] {
  const schedule = CronSchedule.parse(expression, timeZone);
  const times = [Date.parse(after)];
  for (let i = 0; i < count; i++) times.push(schedule.next(times.at(-1)!)!);
  return times.slice(1).map((time) => new Date(time).toISOString().slice(0, 19));
}

describe('CronSchedule', () => {
  it.each<[string, string, string | undefined, string, string[]]>([
    [
      'five fields in UTC',
      '30 3 * * *',
      undefined,
      '2024-01-01T03:30:00Z',
      ['2024-01-02T03:30:00', '2024-01-03T03:30:00'],
    ],
    [
      'six fields',
      '*/20 * * * * *',
      undefined,
      '2024-01-01T00:00:30.5Z',
      ['2024-01-01T00:00:40', '2024-01-01T00:01:00'],
    ],
    [
      'names of days',
      '0 9 * * MON-FRI',
      undefined,
      '2024-01-05T12:00:00Z',
      ['2024-01-08T09:00:00', '2024-01-09T09:00:00'],
    ],
    ['a name', '@daily', undefined, '2024-01-01T12:00:00Z', ['2024-01-02T00:00:00', '2024-01-03T00:00:00']],
    ['a time zone', '0 3 * * *', 'Asia/Tokyo', '2024-01-01T00:00:00Z', ['2024-01-01T18:00:00', '2024-01-02T18:00:00']],
    [
      'the hour that is left out in spring, which is moved',
      '30 2 * * *',
      'Europe/Berlin',
      '2024-03-30T12:00:00Z',
      ['2024-03-31T01:00:00', '2024-04-01T00:30:00'],
    ],
    [
      'the hour that comes twice in autumn, once',
      '30 2 * * *',
      'Europe/Berlin',
      '2024-10-26T12:00:00Z',
      ['2024-10-27T00:30:00', '2024-10-28T01:30:00'],
    ],
  ])('should know %s', (_what, expression, timeZone, after, expected) => {
    expect(timesOf(expression, timeZone, after)).toEqual(expected);
  });

  it('should compute again when the clock was set back', () => {
    const schedule = CronSchedule.parse('0 * * * *');
    const [one, two, three] = [1, 2, 3].map((hour) => hour * 3_600_000);
    expect(schedule.next(two + 1)).toBe(three);
    expect(schedule.next(two + 1000)).toBe(three);
    expect(schedule.next(one - 1)).toBe(one);
    expect(schedule.next(one)).toBe(two);
  });

  it('should have no next time if there is none', () => {
    expect(CronSchedule.parse('0 0 30 2 *').next(0)).toBeUndefined();
  });

  it.each([
    ['99 * * * *', undefined, /minute: 99/],
    ['* * *', undefined, /five, six/],
    ['', undefined, /five, six/],
    ['2024-01-01T00:00:00', undefined, /is a date and no cron expression/],
    ['* * * * *', 'Europe/Nowhere', /no time zone 'Europe\/Nowhere'/],
  ])('should reject %j in %j', (expression, timeZone, message) => {
    expect(() => CronSchedule.parse(expression, timeZone)).toThrow(message);
  });
});
