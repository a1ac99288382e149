import { ConsoleLogger, Logger, type LoggerService } from '@nestjs/common';
import { NestLogger } from './nest.logger.js';

/** A logger that records its lines. */
class Recorder implements LoggerService {
  readonly lines: [string, ...unknown[]][] = [];
  log = (...args: unknown[]): void => void this.lines.push(['log', ...args]);
  error = (...args: unknown[]): void => void this.lines.push(['error', ...args]);
  warn = (...args: unknown[]): void => void this.lines.push(['warn', ...args]);
  debug = (...args: unknown[]): void => void this.lines.push(['debug', ...args]);
  verbose = (...args: unknown[]): void => void this.lines.push(['verbose', ...args]);
}

const LEVELS = ['verbose', 'debug', 'log', 'warn', 'error'] as const;

describe('NestLogger', () => {
  const defaults = Logger as unknown as { staticInstanceRef?: LoggerService; logLevels?: unknown };
  const { staticInstanceRef, logLevels } = defaults;

  afterEach(() => {
    vi.restoreAllMocks();
    Object.assign(defaults, { staticInstanceRef, logLevels });
  });

  function writeAll(): string[] {
    const built: string[] = [];
    const logger = new NestLogger('Kopf');
    for (const level of LEVELS) {
      logger[level](() => {
        built.push(level);
        return level;
      });
    }
    return built;
  }

  it('should write all levels if none were set', () => {
    const recorder = new Recorder();
    Logger.overrideLogger(recorder);
    expect(writeAll()).toEqual(LEVELS);
    expect(recorder.lines.map(([level]) => level)).toEqual(LEVELS);
  });

  // The answer of Nest 11 for every level as long as the application has set none.
  it('should write all levels if Nest says that none is enabled, as none were set', () => {
    vi.spyOn(Logger, 'isLevelEnabled').mockReturnValue(false);
    const recorder = new Recorder();
    Logger.overrideLogger(recorder);
    expect(writeAll()).toEqual(LEVELS);
    expect(recorder.lines.map(([level]) => level)).toEqual(LEVELS);
  });

  it('should not even build messages of levels that were not set', () => {
    Logger.overrideLogger(new Recorder());
    Logger.overrideLogger(['warn', 'error']);
    expect(writeAll()).toEqual(['warn', 'error']);
  });

  it('should not even build messages of levels that the logger of the application does not write', () => {
    Logger.overrideLogger(new ConsoleLogger({ logLevels: [] }));
    expect(writeAll()).toEqual([]);
    Logger.overrideLogger(false);
    expect(writeAll()).toEqual([]);
  });

  it('should write a line for a message, whatever is in it', () => {
    const recorder = new Recorder();
    Logger.overrideLogger(recorder);
    const logger = new NestLogger('Kopf');
    logger.log('one\ntwo\r\nthree\tfour');
    logger.warn(() => 'red \u001b[31m, next \u0085\u2028, null \u0000, ünïcode ✓');
    logger.error('failed\nhere', new Error('a\n[Nest] 1 LOG forged'));
    expect(recorder.lines[0][1]).toBe('one\\ntwo\\r\\nthree\\tfour');
    expect(recorder.lines[1][1]).toBe('red \\u001b[31m, next \\u0085\\u2028, null \\u0000, ünïcode ✓');
    expect(recorder.lines[2][1]).toBe('failed\\nhere');
    for (const line of String(recorder.lines[2][2]).split('\n')) expect(line).toMatch(/^Error: |^\s+at /);
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
