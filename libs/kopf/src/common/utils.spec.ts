import { Logger } from '@nestjs/common';
import { MemoryLogger } from '../../../../test/support/memory.logger.js';
import { VirtualClock } from '../testing/virtual.clock.js';
import { errorStack, errorText, withErrorText } from './texts.js';
import { allOf, anyOf, noneOf, not } from '../registry/filters.js';
import { groupBy } from './group-by.js';
import { copyMemo } from '../handling/memo.js';
import { NestLogger } from './nest.logger.js';
import { ObjectLogger } from '../events/object.logger.js';
import { Pressure } from '../watching/pressure.js';
import { Signal, sleep } from './waiting.js';
import { SystemClock } from './clock.js';
import { SystemRandom } from './random.js';
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

describe('The combinators of filters', () => {
  const yes = (): boolean => true;
  const no = (): boolean => false;

  it.each([
    [allOf([]), true],
    [allOf([yes, yes]), true],
    [allOf([yes, no]), false],
    [anyOf([]), false],
    [anyOf([no, yes]), true],
    [anyOf([no, no]), false],
    [noneOf([]), true],
    [noneOf([no, no]), true],
    [noneOf([no, yes]), false],
    [not(yes), false],
    [not(no), true],
  ])('should combine: case %#', (filter, expected) => {
    expect(filter()).toBe(expected);
  });

  it.each([allOf, anyOf, noneOf, ([filter]: [() => boolean]) => not(filter)])(
    'should refuse asynchronous filters, which would always match: case %#',
    (combine) => {
      const later = (async () => false) as unknown as () => boolean;
      expect(combine([later])).toThrow('filters must not be asynchronous');
    },
  );

  it('should pass on all arguments, and ask no more than needed', () => {
    const seen: unknown[] = [];
    const note = (...args: unknown[]): boolean => {
      seen.push(args);
      return true;
    };
    expect(anyOf([note, note])('value', 'context')).toBe(true);
    expect(not(note)('value', 'context')).toBe(false);
    expect(noneOf([note, note])('value', 'context')).toBe(false);
    expect(seen).toEqual(Array(3).fill(['value', 'context']));
  });
});

describe('copyMemo', () => {
  class Own {
    list: string[] = [];
    greet(): string {
      return 'hello';
    }
  }

  it('should copy shallowly, and keep the class', () => {
    const memo = Object.assign(new Own(), { list: ['x'] });
    const copy = copyMemo(memo) as Own;
    expect(copy).not.toBe(memo);
    expect(copy).toBeInstanceOf(Own);
    expect(copy.greet()).toBe('hello');
    expect(copy.list).toBe(memo.list);
  });

  it.each([[['x', 'y']], [new Map([['x', 1]])], [new Set(['x'])], [new Date(1)]])(
    'should copy what has contents of its own: %s',
    (memo) => {
      const copy = copyMemo(memo);
      expect(copy).toEqual(memo);
      expect(copy).not.toBe(memo);
      expect(copy).toBeInstanceOf(memo.constructor);
    },
  );

  it("should copy by the memo's own way", () => {
    const copy = {};
    expect(copyMemo({ clone: () => copy })).toBe(copy);
  });

  it.each([null, undefined, 5, 'text'])('should take %s as it is', (memo) => {
    expect(copyMemo(memo)).toBe(memo);
  });

  it('should copy an object without a prototype', () => {
    const memo = Object.assign(Object.create(null) as object, { x: 1 });
    expect({ ...(copyMemo(memo) as object) }).toEqual({ x: 1 });
  });
});

describe('sleep', () => {
  it('should tell whether the whole time was slept, and free what it used', async () => {
    const clock = new VirtualClock();
    const controller = new AbortController();
    const slept = sleep(clock, 10, controller.signal);
    await clock.advance(10_000);
    await expect(slept).resolves.toBe(true);
    const interrupted = sleep(clock, 10, controller.signal);
    controller.abort();
    await expect(interrupted).resolves.toBe(false);
    await expect(sleep(clock, 10, controller.signal)).resolves.toBe(false);
    expect(clock.pending).toBe(0);
  });
});

describe('Pressure', () => {
  it('should interrupt the sleep, and the next ones until it is cleared', async () => {
    const clock = new VirtualClock();
    const pressure = new Pressure();
    const sleeping = pressure.sleep(clock, 10);
    pressure.raise();
    await expect(sleeping).resolves.toBe(false);
    await expect(pressure.sleep(clock, 10)).resolves.toBe(false);
    await expect(pressure.sleep(clock, 0)).resolves.toBe(true);
    pressure.clear();
    const whole = pressure.sleep(clock, 10);
    await clock.advance(10_000);
    await expect(whole).resolves.toBe(true);
    pressure.raise();
    expect(clock.pending).toBe(0);
  });
});

describe('Signal', () => {
  it.each([
    ['is raised', (signal: Signal) => signal.raise(), undefined],
    ['is aborted', (_: Signal, abort: AbortController) => abort.abort(), undefined],
    ['has waited long enough', () => undefined, 10],
  ])('should end the waiting when it %s', async (_, act, seconds) => {
    const clock = new VirtualClock();
    const signal = new Signal();
    const abort = new AbortController();
    let ended = false;
    const waiting = signal.wait(clock, seconds, abort.signal).then(() => (ended = true));
    await clock.settle();
    expect(ended).toBe(false);
    act(signal, abort);
    await clock.advance(10_000);
    await waiting;
    expect(clock.pending).toBe(0);
  });

  it('should remember that it was raised while nobody waited, once', async () => {
    const clock = new VirtualClock();
    const signal = new Signal();
    const { signal: abort } = new AbortController();
    signal.raise();
    signal.raise();
    await signal.wait(clock, undefined, abort);
    let ended = false;
    void signal.wait(clock, 5, abort).then(() => (ended = true));
    await clock.advance(4000);
    expect(ended).toBe(false);
    await clock.advance(1000);
    expect(ended).toBe(true);
  });

  it('should not wait at all if it was aborted before', async () => {
    const abort = new AbortController();
    abort.abort();
    await new Signal().wait(new VirtualClock(), undefined, abort.signal);
  });
});

describe('The texts of errors', () => {
  it.each([
    [new Error('x'), 'x'],
    [new TypeError(), 'TypeError'],
    ['text', 'text'],
    [undefined, 'undefined'],
    [{ toString: (): string => 'own' }, 'own'],
  ])('should be found whatever was thrown: case %#', (error, expected) => {
    expect(errorText(error)).toBe(expected);
  });

  it.each([
    ['message', undefined, 'message'],
    ['message:', new Error('x'), 'message: x'],
    ['', new Error('x'), 'x'],
    ['', undefined, ''],
  ])('should follow the message', (message, error, expected) => {
    expect(withErrorText(message, error)).toBe(expected);
  });
});

describe('The stacks of errors', () => {
  it('should show where the causes were thrown, too', () => {
    const cause = new TypeError('inner');
    expect(errorStack(new Error('outer', { cause }))).toMatch(
      /^Error: outer\n +at .*utils.spec[^]*\nCaused by: TypeError: inner\n +at .*utils.spec/,
    );
    expect(errorStack(new Error('outer', { cause: 'a text' }))).toMatch(/\nCaused by: a text$/);
    expect(errorStack('a text')).toBe('a text');
  });

  it('should come to an end', () => {
    const error = new Error('endless');
    error.cause = error;
    expect(errorStack(error).match(/Caused by/g)).toHaveLength(5);
  });

  it('should be there for errors that have none', () => {
    expect(errorStack(Object.assign(new Error('x'), { stack: undefined }))).toBe('x');
  });
});

describe('groupBy', () => {
  it('should keep the order of the items and of the groups', () => {
    expect([...groupBy([3, 1, 4, 2, 5], (item) => item % 2)]).toEqual([
      [1, [3, 1, 5]],
      [0, [4, 2]],
    ]);
  });
});

describe('ObjectLogger', () => {
  it.each([
    [{ namespace: 'ns', name: 'a' }, '[ns/a] text'],
    [{ name: 'a' }, '[a] text'],
    [{}, '[] text'],
  ])('should put the object in front: %j', (metadata, expected) => {
    const sink = new MemoryLogger();
    new ObjectLogger(sink, metadata).log('text');
    expect(sink.messages()).toEqual([expected]);
  });

  it('should tell the listener of all levels, without the object in front', () => {
    const heard: unknown[] = [];
    const sink = new MemoryLogger();
    const logger = new ObjectLogger(sink, { name: 'a' }, (level, message) => heard.push([level, message()]));
    const error = new Error('x');
    logger.debug(() => 'd');
    logger.log('l');
    logger.warn(() => 'w');
    logger.error('e', error);
    expect(heard).toEqual([
      ['debug', 'd'],
      ['log', 'l'],
      ['warn', 'w'],
      ['error', 'e'],
    ]);
    expect(sink.lines.at(-1)).toEqual({ level: 'error', message: '[a] e', error });
  });
});

describe('NestLogger', () => {
  function capture(levels: ('debug' | 'log' | 'warn' | 'error')[]): unknown[][] {
    const lines: unknown[][] = [];
    const note =
      (level: string) =>
      (...args: unknown[]): void =>
        void lines.push([level, ...args]);
    Logger.overrideLogger(levels);
    Logger.overrideLogger({ debug: note('debug'), log: note('log'), warn: note('warn'), error: note('error') });
    onTestFinished(() => Logger.overrideLogger(['debug', 'log', 'warn', 'error']));
    return lines;
  }

  it("should write through the application's logger, errors with their stack", () => {
    const lines = capture(['debug', 'log', 'warn', 'error']);
    const logger = new NestLogger('Kopf');
    const error = new Error('x');
    logger.debug(() => 'd');
    logger.log('l');
    logger.warn('w');
    logger.error(() => 'e');
    logger.error('e', error);
    logger.error('e', 'text');
    expect(lines).toEqual([
      ['debug', 'd', 'Kopf'],
      ['log', 'l', 'Kopf'],
      ['warn', 'w', 'Kopf'],
      ['error', 'e', undefined, 'Kopf'],
      ['error', 'e', error.stack, 'Kopf'],
      ['error', 'e', 'text', 'Kopf'],
    ]);
  });

  it('should cut long messages, also in the stack of an error', () => {
    const lines = capture(['error']) as string[][];
    const logger = new NestLogger('Kopf');
    const text = 'x'.repeat(270_000);
    logger.error(text, new TypeError(text, { cause: new Error(text) }));
    logger.error(() => text, text);
    for (const [, message, stack] of lines) {
      expect(message.length).toBeLessThanOrEqual(16 * 1024);
      expect(stack.length).toBeLessThanOrEqual(40 * 1024);
    }
    expect(lines[0][2]).toMatch(/^TypeError: x+\.\.\.x+\n {4}at .*[^]*Caused by: Error: x+\.\.\.x+\n {4}at /);
  });

  it('should not even build messages of disabled levels', () => {
    const lines = capture(['error']);
    let built = 0;
    const message = (): string => `${built++}`;
    const logger = new NestLogger('Kopf');
    logger.debug(message);
    logger.log(message);
    logger.warn(message);
    expect([built, lines]).toEqual([0, []]);
    Logger.overrideLogger([]);
    logger.error(message);
    expect(built).toBe(0);
  });
});

describe("The machine's own time and chance", () => {
  it('should be those of the machine', async () => {
    const clock = new SystemClock();
    expect(Math.abs(clock.now() - Date.now())).toBeLessThan(1000);
    const begin = clock.monotonic();
    await new Promise<void>((resolve) => clock.setTimer(resolve, 5));
    expect(clock.monotonic() - begin).toBeGreaterThanOrEqual(4);
    const random = new SystemRandom().next();
    expect(random).toBeGreaterThanOrEqual(0);
    expect(random).toBeLessThan(1);
  });

  it('should not fire timers at once that are longer than Node can hold, nor cancelled ones', async () => {
    const clock = new SystemClock();
    let fired = 0;
    const long = clock.setTimer(() => fired++, 2 ** 40);
    const cancelled = clock.setTimer(() => fired++, 0);
    cancelled.cancel();
    await new Promise<void>((resolve) => clock.setTimer(resolve, 5));
    expect(fired).toBe(0);
    long.cancel();
  });
});
