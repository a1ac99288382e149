import { findContainerRuns } from './container.runs.js';
import { LineCutter } from './line.cutter.js';
import { LineJoiner } from './line.joiner.js';
import { parseContainerLine } from './log.line.js';
import { LogPattern } from './log.pattern.js';
import { LogAnchor } from './log.anchor.js';
import { ReplayWindow } from './replay.window.js';

const line = (second: number, text: string, fraction = '000000000') =>
  parseContainerLine(`2026-01-01T00:00:${String(second).padStart(2, '0')}.${fraction}Z ${text}`);

describe('parseContainerLine', () => {
  it.each([
    ['2026-01-01T00:00:00.123456789Z a b', '2026-01-01T00:00:00.123456789Z', 'a b'],
    ['2026-01-01T02:00:00.1+02:00 ', '2026-01-01T02:00:00.1+02:00', ''],
    ['2026-01-01T00:00:00Z', '2026-01-01T00:00:00Z', ''],
    ['unable to retrieve container logs', '', 'unable to retrieve container logs'],
  ])('should take the time off: %s', (raw, timestamp, text) => {
    expect(parseContainerLine(raw)).toMatchObject({ raw, timestamp, text });
  });
});

describe('LineCutter', () => {
  it('should split a text wherever its chunks end', () => {
    const text = Buffer.from('ä\n\nöü\nrest');
    for (let size = 1; size <= text.length; size++) {
      const cutter = new LineCutter(100);
      const lines: string[] = [];
      for (let at = 0; at < text.length; at += size) {
        lines.push(...cutter.push(text.subarray(at, at + size)).map((each) => each.text));
      }
      expect([...lines, cutter.flush()?.text]).toEqual(['ä', '', 'öü', 'rest']);
    }
  });

  it('should hold no more of a line than the limit', () => {
    const cutter = new LineCutter(5);
    const lines = ['abc', 'defgh', 'ijk\nabcde\n'].flatMap((each) => cutter.push(Buffer.from(each)));
    expect(lines).toEqual([
      { text: 'abcde', isTruncated: true },
      { text: 'abcde', isTruncated: false },
    ]);
  });
});

describe('LogPattern', () => {
  it('should find groups, as regular expressions do', () => {
    const pattern = new LogPattern(/error (?<code>\d+)( fatal)?$/im);
    expect(pattern.find('first\nERROR 42\nlast')).toEqual({
      match: ['ERROR 42', '42', undefined],
      groups: { code: '42' },
    });
    expect(pattern.find('none')).toBeUndefined();
    expect(new LogPattern('a/b').test('xa/bx')).toBe(true);
  });

  it('should take time in proportion to the text where backtracking patterns would not end', () => {
    const pattern = new LogPattern(/^(a+)+$/);
    expect(pattern.test('a'.repeat(50_000))).toBe(true);
    expect(pattern.test(`${'a'.repeat(50_000)}!`)).toBe(false);
  });

  it.each([/(a)\1/, /a(?=b)/, /(?<!a)b/])('should refuse what takes longer: %s', (pattern) => {
    expect(() => new LogPattern(pattern)).toThrow('neither backreferences nor lookarounds');
  });
});

describe('LineJoiner', () => {
  it('should join lines until the next message begins, or there are too many', () => {
    const joiner = new LineJoiner({ start: new LogPattern(/^\S/), maxLines: 3, timeout: 1 });
    const texts = ['a', ' 1', 'b', ' 1', ' 2', ' 3', 'c'].flatMap((text) => joiner.push(line(0, text))?.text ?? []);
    expect([...texts, joiner.flush()?.text]).toEqual(['a\n 1', 'b\n 1\n 2', ' 3', 'c']);
    expect(joiner.isPending).toBe(false);
  });
});

describe('ReplayWindow', () => {
  const takeAll = (window: ReplayWindow, lines: readonly ReturnType<typeof line>[]) =>
    lines.map((each) => window.take(each));

  it('should read on a second before the newest line, and know the lines that come again', () => {
    const window = new ReplayWindow();
    const lines = [line(1, 'a'), line(3, 'b'), line(4, 'c'), line(4, 'c'), line(4, 'd')];
    expect(window.since).toBeUndefined();
    takeAll(window, lines);
    expect(window.since).toBe(Date.parse('2026-01-01T00:00:03Z') / 1000);
    window.reopen();
    expect(takeAll(window, [...lines.slice(1), line(4, 'd'), line(5, 'e')])).toEqual([
      ...Array<string>(4).fill('known'),
      'new',
      'new',
    ]);
  });

  it('should know lines whose times are in the wrong order', () => {
    const window = new ReplayWindow();
    const lines = [line(4, 'a', '2'), line(4, 'b', '1'), line(3, 'c'), line(4, 'd')];
    takeAll(window, lines);
    for (let reopened = 0; reopened < 3; reopened++) {
      window.reopen();
      expect(takeAll(window, lines)).toEqual(Array(4).fill('known'));
    }
  });

  it('should know lines where the file begins in the middle of what is known', () => {
    const window = new ReplayWindow();
    takeAll(window, [line(4, 'a'), line(4, 'b'), line(4, 'c')]);
    window.reopen();
    expect(takeAll(window, [line(4, 'c'), line(4, 'd')])).toEqual(['known', 'new']);
  });

  it('should notice that nothing of what is known comes again', () => {
    const window = new ReplayWindow();
    takeAll(window, [line(4, 'a')]);
    window.reopen();
    expect(window.take(line(9, 'b'))).toBe('gap');
    window.acceptGap();
    expect(window.take(line(9, 'b'))).toBe('new');
  });

  it('should not read what was before its beginning', () => {
    const from = Date.parse('2026-01-01T00:00:04Z') / 1000;
    const window = new ReplayWindow(from);
    expect(window.since).toBe(from);
    takeAll(window, [line(4, 'a')]);
    expect(window.since).toBe(from);
  });
});

describe('LogAnchor', () => {
  const coveredBy = (anchor: LogAnchor, lines: readonly ReturnType<typeof line>[]) =>
    lines.filter((each) => anchor.covers(each)).map(({ text }) => text);

  it('should cover the lines up to the last one, also of its second, of its time, and with its text', () => {
    const lines = [line(3, 'a'), line(4, 'b', '1'), line(4, 'c', '3'), line(4, 'd', '3'), line(4, 'd', '3')];
    const anchor = new LogAnchor(lines.slice(2), false);
    for (let reopened = 0; reopened < 2; reopened++) {
      anchor.rewind();
      expect(coveredBy(anchor, [...lines, line(4, 'd', '3'), line(4, 'e', '2')])).toEqual(['a', 'b', 'c', 'd', 'd']);
    }
  });

  it('should cover a line that was not complete', () => {
    expect(coveredBy(new LogAnchor([line(4, 'be')], true), [line(4, 'before'), line(4, 'bee')])).toEqual(['before']);
    expect(coveredBy(new LogAnchor([line(4, 'be')], false), [line(4, 'be'), line(4, 'bee')])).toEqual(['be']);
  });

  it('should cover nothing later where the last line was rotated away', () => {
    const anchor = new LogAnchor([line(4, 'a', '05')], false);
    expect(coveredBy(anchor, [line(4, 'b', '04'), line(4, 'c', '1'), line(4, 'd', '01')])).toEqual(['b']);
  });
});

describe('findContainerRuns', () => {
  const runsOf = (status: object) => findContainerRuns({ metadata: {}, status: { containerStatuses: [status] } });
  const ended = (containerID: string) => ({ terminated: { containerID } });

  it('should tell the present run from the one before', () => {
    const status = { name: 'a', containerID: 'two', restartCount: 2, state: { running: {} }, lastState: ended('one') };
    expect(runsOf(status)).toEqual([
      {
        name: 'a',
        current: { id: 'two', restartCount: 2, startedAt: undefined, hasEnded: false },
        previous: { id: 'one', restartCount: 1, startedAt: undefined, hasEnded: true },
      },
    ]);
  });

  it('should take the last run of a container that waits for its restart', () => {
    const status = { name: 'a', restartCount: 2, state: { waiting: {} }, lastState: ended('two') };
    expect(runsOf(status)).toMatchObject([{ current: { id: 'two', restartCount: 2, hasEnded: true } }]);
  });

  it('should leave out containers that were never started, and find those of all kinds', () => {
    expect(runsOf({ name: 'a', restartCount: 0, state: { waiting: {} } })).toEqual([]);
    expect(findContainerRuns({ metadata: {} })).toEqual([]);
    const each = (name: string) => [{ name, state: ended(name) }];
    const status = {
      initContainerStatuses: each('init'),
      containerStatuses: each('main'),
      ephemeralContainerStatuses: each('debug'),
    };
    expect(findContainerRuns({ metadata: {}, status }).map(({ name }) => name)).toEqual(['init', 'main', 'debug']);
  });
});
