import { ConsoleLogger, Logger, type ConsoleLoggerOptions, type LoggerService } from '@nestjs/common';
import { Logger as PinoService, PinoLogger, type Params } from 'nestjs-pino';
import { pino } from 'pino';
import type { LogStyle } from './log.formats.js';
import { NestLogger } from './nest.logger.js';

const STYLE: LogStyle = { format: 'auto', prefix: null, refKey: 'object' };
const OBJECT = { apiVersion: 'v1', kind: 'Pod', namespace: 'ns', name: 'a', uid: 'u' };

/** Sets a logger of an application as Nest's logger, and returns a logger of an attempt that writes to it. */
function connect(target: LoggerService, style: Partial<LogStyle> = {}): NestLogger {
  Logger.overrideLogger(target);
  const operator = new NestLogger('Kopf', { style: { ...STYLE, ...style }, fields: { operator: 'default' } });
  const object = operator.child({ object: OBJECT, resource: 'pods.v1', cause: undefined });
  return object.child({ handler: 'create', attempt: 2, cause: 'update' }, 'PodOperator');
}

const FIELDS = {
  object: OBJECT,
  resource: 'pods.v1',
  handler: 'create',
  attempt: 2,
  cause: 'update',
  operator: 'default',
};

describe('NestLogger', () => {
  const defaults = Logger as unknown as { staticInstanceRef?: LoggerService; logLevels?: unknown };
  const { staticInstanceRef, logLevels } = defaults;

  afterEach(() => {
    vi.restoreAllMocks();
    Object.assign(defaults, { staticInstanceRef, logLevels });
  });

  describe("with Nest's logger", () => {
    function writeTo(
      options: ConsoleLoggerOptions,
      write: (logger: NestLogger) => void,
      style?: Partial<LogStyle>,
    ): string[] {
      const lines: string[] = [];
      const note = (line: unknown): boolean => lines.push(String(line).trim()) > 0;
      vi.spyOn(process.stdout, 'write').mockImplementation(note);
      vi.spyOn(process.stderr, 'write').mockImplementation(note);
      write(connect(new ConsoleLogger(options), style));
      vi.restoreAllMocks();
      return lines;
    }

    const parse = (line: string): Record<string, unknown> => {
      const { pid: _pid, timestamp: _timestamp, ...members } = JSON.parse(line) as Record<string, unknown>;
      return members;
    };

    it('should put the object in front of the text, and the class before it', () => {
      const lines = writeTo({ colors: false }, (logger) => logger.log('text'));
      expect(lines).toEqual([expect.stringMatching(/ LOG \[PodOperator\] \[ns\/a\] text$/)]);
      expect(writeTo({ colors: false }, (logger) => logger.log('text'), { prefix: false })).toEqual([
        expect.stringMatching(/ LOG \[PodOperator\] text$/),
      ]);
    });

    it('should make members of a JSON line of the fields', () => {
      const lines = writeTo({ json: true, flattenParams: true }, (logger) => logger.warn(() => 'text'));
      expect(lines.map(parse)).toEqual([{ level: 'warn', message: 'text', context: 'PodOperator', ...FIELDS }]);
      const nested = writeTo({ json: true }, (logger) => logger.debug('text'));
      expect(nested.map(parse)).toEqual([{ level: 'debug', message: 'text', context: 'PodOperator', params: FIELDS }]);
    });

    it('should name the object as the setting says, and put it in front of the text, too, if the setting says so', () => {
      const write = (logger: NestLogger): void => logger.log('text');
      const [line] = writeTo({ json: true, flattenParams: true }, write, { refKey: 'k8s', prefix: true }).map(parse);
      expect(line).toMatchObject({ message: '[ns/a] text', k8s: OBJECT });
      expect(line).not.toHaveProperty('object');
    });

    it('should write the stack of an error beside the fields', () => {
      const error = new TypeError('x');
      const lines = writeTo({ json: true, flattenParams: true }, (logger) => {
        logger.error('failed', error);
        logger.error('failed');
      });
      const line = { level: 'error', message: 'failed', context: 'PodOperator', ...FIELDS };
      expect(lines.map(parse)).toEqual([{ ...line, stack: error.stack }, line]);
    });

    // The logger of Nest 11 always has this format.
    it('should put the fields into the message where the logger makes another line of what comes after it', () => {
      const error = new Error('x');
      const lines = writeTo({ json: true, structuredParams: false }, (logger) => {
        logger.log('text');
        logger.error('failed', error);
      });
      expect(lines.map(parse)).toEqual([
        { level: 'log', message: { message: 'text', ...FIELDS }, context: 'PodOperator' },
        { level: 'error', message: { message: 'failed', ...FIELDS }, context: 'PodOperator', stack: error.stack },
      ]);
    });

    it('should write no fields as text', () => {
      const lines = writeTo({ json: true }, (logger) => logger.log('text'), { format: 'text' });
      expect(lines.map(parse)).toEqual([{ level: 'log', message: '[ns/a] text', context: 'PodOperator' }]);
    });
  });

  describe('with nestjs-pino', () => {
    function usePino(level: string): { lines: Record<string, unknown>[]; service: PinoService } {
      const lines: Record<string, unknown>[] = [];
      const options = { level, base: undefined, timestamp: false };
      const logger = pino(options, { write: (line) => void lines.push(JSON.parse(line) as never) });
      const params: Params = { pinoHttp: { logger } };
      const own = new PinoLogger(params);
      // The logger keeps its first target for the whole process.
      Object.defineProperty(own, 'logger', { value: logger });
      return { lines, service: new PinoService(own, params) };
    }

    it('should make members of a line of the fields, with the error as pino writes it', () => {
      const { lines, service } = usePino('trace');
      const logger = connect(service);
      logger.verbose('v');
      logger.log('100 %s %');
      logger.error('failed', Object.assign(new TypeError('x'), { body: 'not for the log' }));
      expect(lines).toEqual([
        { level: 10, context: 'PodOperator', ...FIELDS, msg: 'v' },
        { level: 30, context: 'PodOperator', ...FIELDS, msg: '100 %s %' },
        {
          level: 50,
          context: 'PodOperator',
          ...FIELDS,
          msg: 'failed',
          err: {
            type: 'TypeError',
            name: 'TypeError',
            message: 'x',
            stack: expect.stringMatching(/^TypeError: x\n +at /),
          },
        },
      ]);
    });

    it("should not even build messages below pino's level", () => {
      const { lines, service } = usePino('warn');
      const logger = connect(service);
      let built = 0;
      for (const level of ['verbose', 'debug', 'log', 'warn'] as const) logger[level](() => `${built++}`);
      expect([built, lines.length]).toEqual([1, 1]);
    });
  });

  describe('with another logger', () => {
    function useRecorder(): { lines: unknown[][]; recorder: LoggerService } {
      const lines: unknown[][] = [];
      const note = (...args: unknown[]): void => void lines.push(args);
      return { lines, recorder: { log: note, error: note, warn: note } };
    }

    it('should write text', () => {
      const { lines, recorder } = useRecorder();
      connect(recorder).log('text');
      expect(lines).toEqual([['[ns/a] text', 'PodOperator']]);
    });

    it.each([
      ['params', ['text', FIELDS, 'PodOperator']],
      ['message', [{ message: 'text', ...FIELDS }, 'PodOperator']],
      ['pino', [FIELDS, 'text', 'PodOperator']],
    ] as const)('should give it the fields in the format %s', (format, expected) => {
      const { lines, recorder } = useRecorder();
      connect(recorder, { format }).log('text');
      expect(lines).toEqual([expected]);
    });

    it('should ask the application for its logger for each line', () => {
      const { lines, recorder } = useRecorder();
      const logger = connect(new ConsoleLogger({ json: true, logLevels: [] }));
      logger.log('nowhere');
      Logger.overrideLogger(recorder);
      logger.log('text');
      expect(lines).toEqual([['[ns/a] text', 'PodOperator']]);
    });
  });
});
