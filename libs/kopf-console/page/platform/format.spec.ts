import { formatBytes, formatDuration, formatNumberOf, formatPath, formatRelative, formatValue } from './format.js';

describe('formatting', () => {
  it.each([
    [0, '0 ms'],
    [0.00002, '< 0.1 ms'],
    [0.00152, '1.5 ms'],
    [0.2404, '240 ms'],
    [0.9996, '1 s'],
    [2.54, '2.5 s'],
    [9.97, '10 s'],
    [59.7, '1 min'],
    [200, '3 min 20 s'],
    [3600, '1 h'],
    [7512, '2 h 5 min'],
    [356_400, '4 d 3 h'],
    [Number.NaN, '–'],
  ])('should show a duration of %d seconds as %s', (seconds, text) => {
    expect(formatDuration(seconds)).toBe(text);
  });

  it.each([
    [0, 'now'],
    [400, 'now'],
    [12_000, 'in 12 s'],
    [-200_000, '3 min ago'],
    [-90_000_000, '1 d ago'],
  ])('should show a time %d milliseconds from now as %s', (offset, text) => {
    expect(formatRelative(1_000_000_000_000 + offset, 1_000_000_000_000)).toBe(text);
  });

  it.each([
    [['spec', 'ports', '0'], 'spec.ports.0'],
    [['metadata', 'labels', 'example.com/a'], 'metadata.labels["example.com/a"]'],
    [[], '(everything)'],
  ])('should show the path %j as %s', (path, text) => {
    expect(formatPath(path)).toBe(text);
  });

  it('should count in singular and plural', () => {
    expect([0, 1, 2, 100_000].map((count) => formatNumberOf(count, 'object'))).toEqual([
      '0 objects',
      '1 object',
      '2 objects',
      '100,000 objects',
    ]);
  });

  it('should show bytes in a unit that leaves few digits', () => {
    expect([0, 999, 1500, 148_200_000].map(formatBytes)).toEqual(['0 B', '999 B', '1.5 kB', '148.2 MB']);
  });

  it('should cut long values, and tell absent ones', () => {
    expect([formatValue(undefined), formatValue({ a: 1 }), formatValue('x'.repeat(9), 5)]).toEqual([
      'absent',
      '{"a":1}',
      'xxxx…',
    ]);
  });
});
