import { MemoryLogger } from '../../../../test/support/telemetry/memory.logger.js';
import { SeededRandom } from 'kube-common';
import { OperatorIdentity } from '../diagnostics/channels.js';
import type { Handler } from '../registry/handler.js';
import { KopfSettings } from '../settings/kopf.settings.js';
import { VirtualClock } from '../testing/time/virtual.clock.js';
import { HandlerChildrenRetry, PermanentError, TemporaryError } from './handler.errors.js';
import { type Execution, HandlerExecutor } from './handler.executor.js';
import { allAtOnce } from './lifecycles.js';
import type { Outcome } from './outcome.js';
import { ProgressState } from './progress.state.js';

const handler = (id: string, options: Partial<Handler> = {}): Handler =>
  ({ id, title: `Handler '${id}'`, source: `Operator.${id}`, invoke: () => undefined, ...options }) as Handler;

function arrange(handlers: readonly Handler[] = [handler('a')], options: Partial<Execution<Handler>> = {}) {
  const clock = new VirtualClock();
  const logger = new MemoryLogger();
  const settings = new KopfSettings();
  settings.execution.defaultBackoff = 60;
  const executor = new HandlerExecutor(clock, new SeededRandom(1), settings, new OperatorIdentity());
  const state = new ProgressState(() => clock.now()).activate(handlers);
  const calls: string[] = [];
  const execution: Execution<Handler> = {
    handlers,
    state,
    logger,
    lifecycle: allAtOnce,
    signal: new AbortController().signal,
    ...options,
    call: (each, invocation) => {
      calls.push(each.id);
      return options.call?.(each, invocation);
    },
  };
  const once = () => clock.runUntil(executor.executeOnce(execution));
  /** Executes the only handler, and records the outcome. */
  const attempt = async (): Promise<Outcome> => {
    const outcomes = await once();
    state.advance(outcomes);
    return outcomes.get(handlers[0].id)!;
  };
  return { attempt, calls, clock, executor, logger, once, state };
}

describe('HandlerExecutor', () => {
  it('should call the handlers that are due and picked, one after another', async () => {
    const events: string[] = [];
    const handlers = ['a', 'b', 'c'].map((id) => handler(id));
    const { clock, once, state } = arrange(handlers, {
      call: async ({ id }) => {
        events.push(`begin ${id}`);
        await new Promise<void>((resolve) => clock.setTimer(resolve, 1000));
      },
      onOutcome: ({ id }) => events.push(`end ${id}`),
    });
    state.advance(new Map([['b', { final: false, delay: 10, subrefs: new Set() }]]));
    const outcomes = await once();
    expect(events).toEqual(['begin a', 'end a', 'begin c', 'end c']);
    expect([...outcomes.keys()]).toEqual(['a', 'c']);
  });

  it.each<[string, () => unknown]>([
    ['a list', () => 'a'],
    ['handlers that it was given', () => [handler('a')]],
  ])('should reject a lifecycle that does not return %s', async (_what, lifecycle) => {
    const { calls, once } = arrange(undefined, { lifecycle: lifecycle as never });
    await expect(once()).rejects.toThrow(TypeError);
    expect(calls).toEqual([]);
  });

  it('should not ask the lifecycle if nothing is due', async () => {
    const lifecycle = vi.fn();
    const { once, state } = arrange(undefined, { lifecycle });
    state.advance(new Map([['a', { final: true, subrefs: new Set() }]]));
    expect((await once()).size).toBe(0);
    expect(lifecycle).not.toHaveBeenCalled();
  });

  it.each([
    [true, ['a']],
    [undefined, ['a', 'b']],
  ])('should end with the signal if it is to: %s', async (endsWithSignal, expected) => {
    const controller = new AbortController();
    const { calls, once } = arrange([handler('a'), handler('b')], {
      endsWithSignal,
      signal: controller.signal,
      call: () => controller.abort(),
    });
    await once();
    expect(calls).toEqual(expected);
  });

  it('should wait before each handler until it is known whether the operator leads', async () => {
    const { calls, clock, once } = arrange([handler('a'), handler('b')], {
      scope: {
        get pending() {
          return new Promise<void>((resolve) => clock.setTimer(resolve, 1000));
        },
      },
    });
    const done = once();
    expect(calls).toEqual([]);
    await done;
    expect([calls, clock.monotonic()]).toEqual([['a', 'b'], 2000]);
  });

  const fails = (error: unknown) => () => {
    throw error;
  };

  it.each<[string, Partial<Handler>, Partial<Execution<Handler>>, Partial<Outcome>]>([
    ['a result', {}, { call: () => ({ a: 1 }) }, { final: true, result: { a: 1 } }],
    [
      'a result as JSON has it',
      {},
      { call: () => [new Date(0)] },
      { final: true, result: ['1970-01-01T00:00:00.000Z'] },
    ],
    ['a promise', {}, { call: () => Promise.resolve('x') }, { final: true, result: 'x' }],
    ['any result', {}, { call: () => new Map(), results: 'any' }, { final: true, result: new Map() }],
    ['an error', {}, { call: fails(new Error('!')) }, { final: false, delay: 60 }],
    ['an error, with a backoff', { backoff: 7 }, { call: fails(new Error('!')) }, { final: false, delay: 7 }],
    ['an error, by the mode of the call', {}, { call: fails(new Error('!')), errors: 'permanent' }, { final: true }],
    [
      'an error, by the mode of the handler rather than of the call',
      { errors: 'ignored' },
      { call: fails(new Error('!')), errors: 'permanent' },
      { final: true, ignored: new Error('!') },
    ],
    ['a temporary error', {}, { call: fails(new TemporaryError('!', { delay: 3 })) }, { final: false, delay: 3 }],
    [
      'a permanent error',
      {},
      { call: fails(new PermanentError('!')) },
      { final: true, error: new PermanentError('!') },
    ],
  ])('should make an outcome of %s', async (_what, options, execution, expected) => {
    const { attempt } = arrange([handler('a', options)], execution);
    expect(await attempt()).toMatchObject(expected);
  });

  it('should fail a handler for good whose result JSON cannot hold', async () => {
    const { attempt } = arrange(undefined, { call: () => ({ a: Number.NaN }) });
    const { final, error } = await attempt();
    expect([final, error]).toEqual([true, expect.any(PermanentError)]);
    expect(error!.message).toMatch(/^Handler 'a' returned what JSON cannot hold: .*result\.a/);
  });

  it.each<[string, Partial<Handler>, string]>([
    ['all retries are made', { retries: 2 }, "Handler 'a' has exceeded 2 retries."],
    ['the time of all attempts is over', { timeout: 2 }, "Handler 'a' has timed out after 0:00:02."],
  ])('should not call a handler once %s', async (_what, options, message) => {
    const { attempt, calls, clock, state } = arrange([handler('a', options)]);
    for (let retry = 0; retry < 2; retry++) {
      state.advance(new Map([['a', { final: false, delay: 1, subrefs: new Set() }]]));
      await clock.advance(1000);
    }
    const { final, error } = await attempt();
    expect([final, error?.message, calls]).toEqual([true, message, []]);
  });

  it('should end an attempt at the deadline of the handler', async () => {
    const { attempt, clock } = arrange([handler('a', { timeout: 5 })], { call: () => new Promise(() => undefined) });
    expect(await attempt()).toMatchObject({ final: true });
    expect(clock.monotonic()).toBe(5000);
  });

  it('should log the attempts in the name of the handler, but for those of terse ones that do not fail', async () => {
    for (const isTerse of [false, true]) {
      const { attempt, logger } = arrange([handler('a', { loggedId: 'a of A' })], { isTerse, purpose: 'creation' });
      await attempt();
      expect(logger.messages('debug')).toEqual(isTerse ? [] : ["Handler 'a' is invoked.", "Handler 'a' succeeded."]);
    }
  });

  it('should settle the patch: what cannot be sent fails the handler, unless it has failed anyway', async () => {
    const cause = { patch: { settle: fails(new TypeError('patch.a')) } } as never;
    const succeeded = arrange(undefined, { cause });
    expect(await succeeded.attempt()).toMatchObject({ final: false, error: new TypeError('patch.a') });
    const failed = arrange(undefined, { cause, call: fails(new Error('!')) });
    expect(await failed.attempt()).toMatchObject({ error: new Error('!') });
    expect(failed.logger.messages('error')).toContain("Handler 'a' has left in its patch what is not sent: patch.a");
  });

  it('should end an interruption with the attempt, and let it explain the error', async () => {
    const explained = new TemporaryError('It was interrupted.', { delay: 0 });
    const interruption = { signal: new AbortController().signal, explain: vi.fn(() => explained), end: vi.fn() };
    const error = new Error('aborted');
    const { attempt } = arrange(undefined, { call: fails(error), interruptionOf: () => interruption });
    expect(await attempt()).toMatchObject({ final: false, delay: 0, error: explained });
    expect(interruption.explain).toHaveBeenCalledWith(error);
    expect(interruption.end).toHaveBeenCalledOnce();
  });

  describe('when the API server rejects what a handler wants', () => {
    const rejection = new Error('422');

    it.each<[string, Partial<Handler>, number | undefined, Partial<{ failure: boolean; delay: number }>]>([
      ['retry it', { backoff: 7 }, undefined, { failure: false, delay: 7 }],
      ['retry it not before its sub-handlers', { backoff: 7 }, 30, { failure: false, delay: 30 }],
      ['retry it not before its backoff', { backoff: 7 }, 3, { failure: false, delay: 7 }],
      ['fail it for good by its mode', { errors: 'permanent' }, undefined, { failure: true }],
      ['leave it as it is by its mode', { errors: 'ignored' }, undefined, { failure: false }],
    ])('should %s', async (_what, options, delay, expected) => {
      const one = handler('a', options);
      const { clock, executor, logger, state } = arrange([one]);
      const error = delay === undefined ? undefined : new HandlerChildrenRetry(delay);
      const outcome: Outcome = { final: error === undefined, error, delay, subrefs: new Set() };
      state.advance(new Map([['a', outcome]]));
      executor.failAttempt(one, { state, logger }, rejection, outcome);
      expect(state.counts.failure > 0).toBe(expected.failure);
      if (expected.delay === undefined) expect(state.done).toBe(true);
      else expect(state.delays).toEqual([expected.delay]);
      expect(state.of('a').retries).toBe(1);
      expect(clock.pending).toBe(0);
    });

    it('should only report it of one that has failed anyway', async () => {
      const one = handler('a');
      const { executor, logger, state } = arrange([one]);
      const outcome: Outcome = { final: false, error: new Error('!'), delay: 5, subrefs: new Set() };
      state.advance(new Map([['a', outcome]]));
      executor.failAttempt(one, { state, logger }, rejection, outcome);
      expect(state.delays).toEqual([5]);
      expect(logger.messages('error')).toEqual([
        "The API server rejects what Handler 'a' wants, which has failed: 422",
      ]);
    });
  });
});
