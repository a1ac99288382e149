import { findOptionMistakes } from './option-rules.js';

describe('findOptionMistakes', () => {
  it.each<[Parameters<typeof findOptionMistakes>[0], Record<string, unknown>]>([
    ['daemon', { cancellationBackoff: 1, cancellationTimeout: 0, cancellationPolling: 5, initialDelay: 1 }],
    ['daemon', { initialDelay: () => 1, labels: { a: 'b' }, field: 'spec.a', value: 1, retries: 3 }],
    ['timer', { interval: 1, sharp: true, idle: 10, initialDelay: 0, errors: 'permanent' }],
    ['timer', { sharp: false }],
    ['index', { errors: 'temporary', backoff: 0, when: () => true, id: 'idx' }],
  ])('should accept options of %s: %j', (kind, options) => {
    expect(findOptionMistakes(kind, options)).toEqual([]);
  });

  it.each<[Parameters<typeof findOptionMistakes>[0], Record<string, unknown>, string]>([
    ['daemon', { cancellationTimeout: -1 }, "option 'cancellationTimeout' must be a number of seconds, not negative"],
    ['daemon', { cancellationPolling: 0 }, "option 'cancellationPolling' must be a number of seconds above 0"],
    [
      'daemon',
      { initialDelay: '1s' },
      "option 'initialDelay' must be a number of seconds, not negative, or a function",
    ],
    ['daemon', { interval: 1 }, "option 'interval' does not exist"],
    ['timer', { interval: 0 }, "option 'interval' must be a number of seconds above 0"],
    ['timer', { cancellationTimeout: 1 }, "option 'cancellationTimeout' does not exist"],
    ['timer', { sharp: true }, "option 'sharp' needs the option 'interval'"],
    ['timer', { value: 1 }, "option 'value' needs the option 'field'"],
    ['index', { initialDelay: 1 }, "option 'initialDelay' does not exist"],
    ['field', {}, "option 'field' is missing"],
  ])('should refuse options of %s: %j', (kind, options, mistake) => {
    const mistakes = findOptionMistakes(kind, options);
    expect(mistakes).toHaveLength(1);
    expect(mistakes[0]).toContain(mistake);
  });
});
