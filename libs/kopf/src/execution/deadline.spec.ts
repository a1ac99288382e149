import { MemoryLogger } from '../../../../test/support/telemetry/memory.logger.js';
import { HandlerTimeoutError } from './handler.errors.js';
import type { Handler } from '../registry/handler.js';
import { VirtualClock } from '../testing/time/virtual.clock.js';
import { createDeadline } from './deadline.js';

function prepare(timeout: number | undefined, runtime = 0) {
  const clock = new VirtualClock();
  const logger = new MemoryLogger();
  const ending = new AbortController();
  const handler: Handler = { id: 'fn', title: "Handler 'fn'", source: 'Op.fn', invoke: () => undefined, timeout };
  return { clock, logger, ending, deadline: createDeadline(clock, handler, runtime, ending, logger) };
}

describe('withDeadline', () => {
  it('should cost no timer without a timeout, and pass on what the function does', async () => {
    const { clock, deadline, ending } = prepare(undefined);
    expect(clock.pending).toBe(0);
    expect(deadline.signal).toBe(ending.signal);
    expect(await deadline.race(() => 1)).toBe(1);
    await expect((async () => deadline.race(() => Promise.reject(new Error('x'))))()).rejects.toThrow('x');
    deadline.clear();
  });

  it('should pass on what the function does in time, and free the timer', async () => {
    const { clock, logger, deadline } = prepare(10);
    expect(await deadline.race(async () => 1)).toBe(1);
    await expect(
      deadline.race(() => {
        throw new Error('at once');
      }),
    ).rejects.toThrow('at once');
    expect(deadline.signal.aborted).toBe(false);
    deadline.clear();
    expect(clock.pending).toBe(0);
    expect(logger.lines).toEqual([]);
  });

  it.each([
    [10, 0, 10],
    [10, 4, 6],
    [10, 12, 0],
  ])('should end a call with a timeout of %s s after %s s: in %s s', async (timeout, runtime, expected) => {
    const { clock, deadline } = prepare(timeout, runtime);
    const ended = Promise.resolve(deadline.race(() => new Promise(() => undefined))).then(
      () => 'returned',
      (error: unknown) => error,
    );
    await expect(clock.runUntil(ended)).resolves.toBeInstanceOf(HandlerTimeoutError);
    expect(clock.monotonic()).toBe(expected * 1000);
    expect(deadline.signal.reason).toBeInstanceOf(HandlerTimeoutError);
  });

  it.each([
    ['returned', (end: (late?: Error) => void) => end()],
    ['failed', (end: (late?: Error) => void) => end(new Error('late'))],
  ])('should warn of a function that has %s after the end', async (how, act) => {
    const { clock, logger, deadline } = prepare(1);
    let end: (late?: Error) => void;
    const call = new Promise<void>((resolve, reject) => (end = (late) => (late ? reject(late) : resolve())));
    const ended = Promise.resolve(deadline.race(() => call)).catch(() => undefined);
    await clock.advance(1000);
    await ended;
    expect(logger.lines).toEqual([]);
    act(end!);
    await clock.settle();
    expect(logger.messages('warn')).toEqual([`Handler 'fn' has ${how} after its timeout; it is ignored.`]);
  });

  it('should abort the signal, too, when the operator does not wait any longer', () => {
    const { deadline, ending } = prepare(10);
    ending.abort('over');
    expect(deadline.signal.aborted).toBe(true);
    deadline.clear();
  });
});
