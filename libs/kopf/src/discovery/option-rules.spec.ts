import { ABSENT, PRESENT } from '../contexts/filter-options.js';
import { EVERYTHING } from '../resources/resource-criteria.js';
import type { HandlerKind } from '../decorators/handler.metadata.js';
import { findHandlerOptionViolations } from './option-rules.js';

const fn = (): boolean => true;

describe('findHandlerOptionViolations', () => {
  it.each<[HandlerKind, object]>([
    ['startup', { id: 'x', param: null, errors: 'permanent', timeout: 1, retries: 1, backoff: 0 }],
    ['event', { labels: { a: 'b', c: PRESENT, d: ABSENT, e: fn, f: '' }, annotations: {}, when: fn }],
    ['create', { field: 'spec.x', value: null }],
    ['create', { field: ['spec', 'x'], value: PRESENT, timeout: 0.5, retries: 0 }],
    ['update', { field: 'spec', old: 1, new: ABSENT }],
    ['update', { field: 'spec', value: null, old: 1, new: undefined }],
    ['update', { value: null }],
    ['field', { field: 'spec' }],
    ['delete', { optional: true }],
    ['resume', { deleted: false }],
    ['timer', { interval: 1, sharp: true, idle: 0, initialDelay: fn }],
    ['timer', { cron: '0 3 * * *', timeZone: 'Europe/Berlin', initialDelay: 5 }],
    ['daemon', { initialDelay: 5, cancellationBackoff: 0, cancellationTimeout: 0, cancellationPolling: 1 }],
    ['index', { errors: 'ignored' }],
    ['event', { selector: { labels: 'app=web,!legacy' } }],
    ['create', { selector: { labels: { matchLabels: { app: 'web' } }, fields: 'metadata.name=web' } }],
    ['timer', { selector: { fields: { 'status.phase': 'Running' } } }],
  ])('should find nothing wrong with %s: %j', (kind, options) => {
    expect(findHandlerOptionViolations({ kind, options })).toEqual([]);
  });

  it.each<[HandlerKind, object, string]>([
    [
      'startup',
      { labels: {} },
      "option 'labels' does not exist; there are id, param, operator, onError, errors, timeout, retries, backoff",
    ],
    ['event', { retries: 1 }, "option 'retries' does not exist"],
    ['create', { old: 1, field: 'x' }, "option 'old' does not exist"],
    ['create', { toString: 1 }, "option 'toString' does not exist"],
    ['timer', { cron: '99 * * * *' }, "option 'cron' is no cron expression: CronPattern: Invalid value for minute: 99"],
    ['timer', { cron: '0 0 30 2 *' }, "option 'cron' is a time that never comes"],
    ['timer', { cron: '@daily', interval: 5 }, "option 'cron' excludes the option 'interval'"],
    ['timer', { cron: '@daily', timeZone: 'X' }, 'option \'timeZone\' must be a time zone such as "Europe/Berlin"'],
    ['timer', { timeZone: 'UTC' }, "option 'timeZone' needs the option 'cron'"],
    ['create', { id: '' }, "option 'id' must be a non-empty string"],
    ['create', { id: 1 }, "option 'id' must be a non-empty string"],
    ['create', { errors: 'never' }, "option 'errors' must be 'temporary', 'permanent', or 'ignored'"],
    ['create', { timeout: -1 }, "option 'timeout' must be a number of seconds, not negative"],
    ['create', { timeout: NaN }, "option 'timeout' must be"],
    ['create', { timeout: null }, "option 'timeout' must be"],
    ['create', { retries: 1.5 }, "option 'retries' must be a whole number, not negative"],
    ['create', { backoff: '1' }, "option 'backoff' must be"],
    ['create', { when: true }, "option 'when' must be a function"],
    ['create', { field: [] }, "option 'field' must be a path"],
    ['create', { field: ['a', 1] }, "option 'field' must be a path"],
    ['create', { labels: null }, "option 'labels' must be an object"],
    ['create', { labels: ['a'] }, "option 'labels' must be an object"],
    ['create', { labels: { a: undefined } }, "option 'labels' must be an object"],
    ['create', { labels: { a: 1 } }, "option 'labels' must be an object"],
    ['create', { labels: { a: EVERYTHING } }, "option 'labels' must be an object"],
    ['startup', { selector: { labels: 'a' } }, "option 'selector' does not exist"],
    ['create', { selector: 'a=b' }, "option 'selector' cannot be used: it is not an object with labels or fields"],
    [
      'daemon',
      { selector: { label: 'a' } },
      "option 'selector' cannot be used: it has labels and fields, but no label",
    ],
    ['index', { selector: { labels: 'a b' } }, 'option \'selector\' cannot be used: "a b" is not a requirement'],
    ['event', { selector: { fields: 'spec' } }, 'option \'selector\' cannot be used: "spec" is not a requirement'],
    ['create', { value: false }, "option 'value' needs the option 'field'"],
    ['update', { new: 1 }, "option 'new' needs the option 'field'"],
    ['update', { field: 'x', value: 1, new: 2 }, "option 'new' excludes the option 'value', which is for both states"],
    ['field', {}, "option 'field' is missing"],
    ['delete', { optional: 'yes' }, "option 'optional' must be true or false"],
    ['timer', { sharp: true }, "option 'sharp' needs the option 'interval'"],
    ['timer', { interval: 0 }, "option 'interval' must be a number of seconds above 0"],
    ['daemon', { initialDelay: -1 }, "option 'initialDelay' must be a number of seconds, not negative, or a function"],
  ])('should find what is wrong with %s: %j', (kind, options, expected) => {
    expect(findHandlerOptionViolations({ kind, options })).toEqual([expect.stringContaining(expected)]);
  });

  it.each<[HandlerKind, object, string]>([
    ['create', { retires: 1 }, "option 'retires' does not exist; did you mean retries?"],
    ['timer', { Interval: 1 }, "option 'Interval' does not exist; did you mean interval?"],
    ['create', { when2: 1 }, "option 'when2' does not exist; did you mean when?"],
    [
      'event',
      { constructor: 1 },
      "option 'constructor' does not exist; there are id, param, operator, onError, labels",
    ],
  ])('should suggest what was probably meant with %s: %j', (kind, options, expected) => {
    expect(findHandlerOptionViolations({ kind, options })).toEqual([expect.stringContaining(expected)]);
  });

  it('should find everything at once', () => {
    expect(
      findHandlerOptionViolations({ kind: 'create', options: { retries: -1, backoff: -1, nonsense: 1 } }),
    ).toHaveLength(3);
  });
});
