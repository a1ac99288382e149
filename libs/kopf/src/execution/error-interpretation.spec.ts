import { MemoryLogger } from '../../../../test/support/telemetry/memory.logger.js';
import {
  HandlerChildrenRetry,
  HandlerRetriesError,
  HandlerTimeoutError,
  LeadershipLostError,
  PermanentError,
  TemporaryError,
} from './handler.errors.js';
import type { ErrorsMode } from '../contexts/change-options.js';
import type { Handler } from '../registry/handler.js';
import { interpretError } from './error-interpretation.js';

function interpret(
  error: unknown,
  {
    errors = 'temporary',
    retries = 0,
    runtime = 0,
    limits = {},
  }: { errors?: ErrorsMode; retries?: number; runtime?: number; limits?: Partial<Handler> } = {},
) {
  const logger = new MemoryLogger();
  const handler: Handler = { id: 'fn', title: "Handler 'fn'", source: 'Op.fn', invoke: () => undefined, ...limits };
  const subrefs = new Set(['fn/sub']);
  const outcome = interpretError(error, { handler, retries, runtime, errors, backoff: 60, logger, subrefs });
  return { outcome, lines: logger.lines };
}

describe('interpretError', () => {
  it.each<ErrorsMode>(['temporary', 'permanent', 'ignored'])(
    'should report no error of the handler if the leadership was lost, with the errors %s',
    (errors) => {
      const error = new LeadershipLostError();
      const { outcome, lines } = interpret(error, { errors, limits: { retries: 1 } });
      expect(outcome).toMatchObject({ final: false, error });
      expect(lines.map(({ level }) => level)).toEqual(['debug']);
    },
  );

  it.each<[string, unknown, Parameters<typeof interpret>[1], object, string]>([
    ['temporary', new TemporaryError('x', { delay: 7 }), {}, { final: false, delay: 7 }, 'failed temporarily: x'],
    [
      'temporary without a message',
      new TemporaryError(),
      {},
      { final: false, delay: 60 },
      'failed temporarily: TemporaryError',
    ],
    ['temporary, at once', new TemporaryError('x', { delay: 0 }), {}, { delay: 0 }, 'failed temporarily: x'],
    [
      'temporary, without a time',
      new TemporaryError('x', { delay: null }),
      {},
      { final: false, delay: undefined },
      'failed temporarily: x',
    ],
    ['permanent', new PermanentError('x'), {}, { final: true }, 'failed permanently: x'],
    ['timed out', new HandlerTimeoutError('x'), {}, { final: true }, 'x'],
    ['out of retries', new HandlerRetriesError('x'), {}, { final: true }, 'x'],
    ['arbitrary', new Error('x'), {}, { final: false, delay: 60 }, 'will try again in 60 seconds: x'],
    ['no error', 'text', {}, { final: false, delay: 60 }, 'will try again in 60 seconds: text'],
    ['arbitrary, permanent', new Error('x'), { errors: 'permanent' }, { final: true }, 'will stop now: x'],
    ['permanent, ignored', new PermanentError('x'), { errors: 'ignored' }, { final: true }, 'failed permanently: x'],
  ])('should make an outcome with the error and a log line: %s', (_, error, attempt, expected, text) => {
    const { outcome, lines } = interpret(error, attempt);
    expect(outcome).toMatchObject({ ...expected, error: expect.any(Error), subrefs: new Set(['fn/sub']) });
    expect(lines.map(({ level }) => level)).toEqual(['error']);
    expect(lines[0].message).toContain(text);
  });

  it('should look ahead by no time at all if the next attempt is made at once', () => {
    const error = new TemporaryError('x', { delay: null });
    expect(interpret(error, { limits: { timeout: 10 }, runtime: 9 }).outcome.final).toBe(false);
    expect(interpret(error, { limits: { timeout: 10 }, runtime: 10 }).outcome.final).toBe(true);
    expect(interpret(error, { limits: { retries: 2 }, retries: 1 }).outcome.final).toBe(true);
  });

  it('should make a success of an arbitrary error that is to be ignored', () => {
    const { outcome, lines } = interpret(new Error('x'), { errors: 'ignored' });
    expect(outcome).toEqual({ final: true, ignored: new Error('x'), subrefs: new Set(['fn/sub']) });
    expect(lines[0].message).toContain('will ignore it: x');
  });

  it.each([
    [new TemporaryError('x'), false],
    [new PermanentError('x'), false],
    [new Error('x'), true],
  ])('should log the stack of unexpected errors only: %s', (error, expected) => {
    expect(interpret(error).lines[0].error).toBe(expected ? error : undefined);
  });

  it('should not bother anybody with the waiting for sub-handlers', () => {
    const { outcome, lines } = interpret(new HandlerChildrenRetry(3), {
      limits: { retries: 1, timeout: 1 },
      runtime: 9,
    });
    expect(outcome).toMatchObject({ final: false, delay: 3, error: { message: 'None' } });
    expect(lines.map(({ level }) => level)).toEqual(['debug']);
  });

  it.each<[string, Partial<Handler>, number, number, unknown, typeof PermanentError | undefined]>([
    ['enough retries', { retries: 3 }, 1, 0, new Error('x'), undefined],
    ['the last retry', { retries: 3 }, 2, 0, new Error('x'), HandlerRetriesError],
    ['the last retry, temporary', { retries: 3 }, 2, 0, new TemporaryError('x'), HandlerRetriesError],
    ['enough time', { timeout: 100 }, 0, 39, new Error('x'), undefined],
    ['too little time', { timeout: 100 }, 0, 40, new Error('x'), HandlerTimeoutError],
    ['too little time, temporary', { timeout: 100 }, 0, 95, new TemporaryError('x', { delay: 5 }), HandlerTimeoutError],
    ['enough time, temporary', { timeout: 100 }, 0, 94, new TemporaryError('x', { delay: 5 }), undefined],
    ['both over', { timeout: 100, retries: 1 }, 0, 99, new Error('x'), HandlerTimeoutError],
  ])('should look ahead to the next attempt: %s', (_, limits, retries, runtime, error, expected) => {
    const { outcome, lines } = interpret(error, { limits, retries, runtime });
    expect(outcome.final).toBe(expected !== undefined);
    expect(outcome.delay === undefined).toBe(outcome.final);
    if (!expected) return;
    expect(outcome.error).toBeInstanceOf(expected);
    expect(outcome.error!.message).toMatch(/: x$/);
    expect(lines[0].message).toBe(outcome.error!.message);
  });

  it.each<[Partial<Handler>, Error, string]>([
    [{ retries: 1 }, new TemporaryError('x'), 'failed temporarily but will exceed 1 retries: x'],
    [{ timeout: 9 }, new TemporaryError('x'), 'failed temporarily but will time out after 9 seconds: x'],
    [
      { retries: 1 },
      new Error('x'),
      'failed with an exception and will stop now (it would exceed 1 retries on the next attempt): x',
    ],
    [
      { timeout: 9 },
      new Error('x'),
      'failed with an exception and will stop now (it would time out in 9 seconds on the next attempt): x',
    ],
  ])('should tell of limits in the words of Kopf, as they are stored: %s, %s', (limits, error, expected) => {
    expect(interpret(error, { limits }).outcome.error!.message).toBe(`Handler 'fn' ${expected}`);
  });
});
