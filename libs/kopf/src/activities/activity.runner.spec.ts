import { MemoryLogger } from '../../../../test/support/telemetry/memory.logger.js';
import { PermanentError, TemporaryError } from '../execution/handler.errors.js';
import { HandlerExecutor } from '../execution/handler.executor.js';
import { HandlerInvoker } from '../execution/handler.invoker.js';
import { IndexRegistry } from '../indexing/index.registry.js';
import { ActivityKind, type ActivityHandler } from '../registry/handler.js';
import { KopfSettings } from '../settings/kopf.settings.js';
import { SeededRandom } from 'kube-common';
import { VirtualClock } from '../testing/time/virtual.clock.js';
import { ActivityError } from './activity.error.js';
import { ActivityRunner, type ActivityRun } from './activity.runner.js';
import { LoginActivity } from './login.activity.js';
import { OperatorEnvironment } from './operator.environment.js';
import { OperatorMemo } from './operator.memo.js';
import { Probe } from './probe.js';

/** The results of a handler's calls, of which the last one repeats: errors are thrown, other values are returned. */
type Script = readonly unknown[];

/** Runs activities whose handlers follow scripts, on virtual time. */
function arrange(...scripts: (Script | [Script, Partial<ActivityHandler>])[]) {
  const clock = new VirtualClock();
  const logger = new MemoryLogger();
  const settings = new KopfSettings();
  const calls: string[] = [];
  const begin = clock.monotonic();
  const handlers = scripts.map((given, index): ActivityHandler => {
    const [script, options] = Array.isArray(given[0]) ? (given as [Script, Partial<ActivityHandler>]) : [given, {}];
    const name = String.fromCharCode(97 + index);
    let count = 0;
    const invoke = (): unknown => {
      calls.push(`${name} at ${(clock.monotonic() - begin) / 1000}`);
      const step = script[Math.min(count++, script.length - 1)];
      if (step instanceof Error) throw step;
      return typeof step === 'function' ? (step as () => unknown)() : step;
    };
    const source = `Operator.${name}`;
    return { activity: ActivityKind.STARTUP, id: name, title: `Handler '${name}'`, source, invoke, ...options };
  });
  const registry = { activitiesOf: () => handlers } as never;
  const executor = new HandlerExecutor(clock, new SeededRandom(1), settings);
  const memo = new OperatorMemo(undefined);
  const environment = new OperatorEnvironment(settings, memo, new IndexRegistry(), clock);
  const runner = new ActivityRunner(registry, executor, new HandlerInvoker(), environment, clock, logger);
  const stopping = new AbortController();

  async function execute(options: Partial<ActivityRun> = {}) {
    const outcome = runner.execute({ handlers, signal: stopping.signal, ...options });
    const { results, failures } = await clock.runUntil(outcome);
    return { results: Object.fromEntries(results), failures: Object.fromEntries(failures) };
  }
  return { calls, clock, execute, handlers, logger, registry, runner, stopping };
}

const later = (delay: number) => new TemporaryError('not yet', { delay });
const never = new PermanentError('never');

describe('ActivityRunner', () => {
  it('should retry after the same time when the clock of the machine is set while it waits', async () => {
    let offset = 0;
    const { calls, clock, execute } = arrange(
      [
        () => {
          offset -= 3_600_000;
          throw later(5);
        },
        () => {
          offset += 7_200_000;
          throw later(7);
        },
        'ok',
      ],
      [[later(1)], { timeout: 6 }],
    );
    const now = clock.now.bind(clock);
    clock.now = () => now() + offset;
    await execute();
    expect(calls.filter((call) => call.startsWith('a'))).toEqual(['a at 0', 'a at 5', 'a at 12']);
    expect(calls.filter((call) => call.startsWith('b'))).toHaveLength(6);
  });

  it.each<[string, Script, Partial<ActivityHandler>, string[], object]>([
    ['keep a result', ['ok'], {}, ['a at 0'], { results: { 'Operator.a/a': 'ok' }, failures: {} }],
    ['do without a result', [undefined], {}, ['a at 0'], { results: {}, failures: {} }],
    ['take null for no result', [null], {}, ['a at 0'], { results: {}, failures: {} }],
    ['keep a result that is false', [false], {}, ['a at 0'], { results: { 'Operator.a/a': false }, failures: {} }],
    [
      'retry after temporary errors when they say, and forget them then',
      [later(5), later(7), 'ok'],
      {},
      ['a at 0', 'a at 5', 'a at 12'],
      { results: { 'Operator.a/a': 'ok' }, failures: {} },
    ],
    [
      'retry after other errors with the backoff',
      [new Error('oops'), 'ok'],
      { backoff: 3 },
      ['a at 0', 'a at 3'],
      { results: { 'Operator.a/a': 'ok' }, failures: {} },
    ],
    ['not retry after permanent errors', [never], {}, ['a at 0'], { results: {}, failures: { 'Operator.a': never } }],
    [
      'not retry after other errors where the handler says so',
      [new Error('oops')],
      { errors: 'permanent' },
      ['a at 0'],
      { results: {}, failures: { 'Operator.a': expect.objectContaining({ message: 'oops' }) } },
    ],
    [
      'end with the limit of retries',
      [later(1)],
      { retries: 3 },
      ['a at 0', 'a at 1', 'a at 2'],
      { failures: { 'Operator.a': expect.objectContaining({ code: 'KOPF_HANDLER_RETRIES' }) } },
    ],
    [
      'end with the timeout',
      [later(4)],
      { timeout: 10 },
      ['a at 0', 'a at 4', 'a at 8'],
      { failures: { 'Operator.a': expect.objectContaining({ code: 'KOPF_HANDLER_TIMEOUT' }) } },
    ],
  ])('should %s', async (_, script, options, calls, expected) => {
    const arranged = arrange([script, options]);
    expect(await arranged.execute()).toMatchObject(expected);
    expect(arranged.calls).toEqual(calls);
  });

  it('should call all handlers at once, and only those again that have not finished', async () => {
    const { calls, execute } = arrange([later(5), 1], [2], [later(1), never]);
    expect(await execute()).toEqual({
      results: { 'Operator.a/a': 1, 'Operator.b/b': 2 },
      failures: { 'Operator.c': never },
    });
    expect(calls).toEqual(['a at 0', 'b at 0', 'c at 0', 'c at 1', 'a at 5']);
  });

  it('should keep handlers of one id in several classes apart', async () => {
    const { execute } = arrange([['one'], { id: 'same' }], [['two'], { id: 'same' }]);
    expect((await execute()).results).toEqual({ 'Operator.a/same': 'one', 'Operator.b/same': 'two' });
  });

  it('should end the wait for a retry with the signal, and tell the last errors', async () => {
    const { calls, clock, execute, stopping } = arrange([later(60)], ['ok']);
    clock.setTimer(() => stopping.abort(), 30_000);
    const { results, failures } = await execute();
    expect(results).toEqual({ 'Operator.b/b': 'ok' });
    expect(failures).toEqual({ 'Operator.a': expect.objectContaining({ message: 'not yet' }) });
    expect([calls, clock.pending]).toEqual([['a at 0', 'b at 0'], 0]);
  });

  it('should not wait for other handlers if the first result is enough', async () => {
    const { calls, execute } = arrange([later(60), 1], [later(5), 2]);
    expect((await execute({ isFirstEnough: true })).results).toEqual({ 'Operator.b/b': 2 });
    expect(calls).toEqual(['a at 0', 'b at 0', 'b at 5']);
  });

  it('should fail an activity with all handlers that have failed, by their sources', async () => {
    const { clock, runner, stopping } = arrange([never], ['ok'], [new PermanentError('no way')]);
    const error = await clock
      .runUntil(runner.run(ActivityKind.STARTUP, stopping.signal))
      .catch((thrown: Error) => thrown);
    expect(error).toBeInstanceOf(ActivityError);
    expect((error as Error).message).toMatch(/Operator\.a: never; Operator\.c: no way/);
    expect((error as Error).cause).toBe(never);
  });

  it('should not call the given handlers that have succeeded in an earlier run', async () => {
    const { calls, clock, runner, stopping } = arrange(['ok'], [never, 'ok']);
    const succeeded = new Set<ActivityHandler>();
    const run = () => clock.runUntil(runner.run(ActivityKind.STARTUP, stopping.signal, succeeded));
    await expect(run()).rejects.toMatchObject({ code: 'KOPF_ACTIVITY' });
    expect([...succeeded].map(({ id }) => id)).toEqual(['a']);
    await run();
    expect(calls).toEqual(['a at 0', 'b at 0', 'b at 0']);
    await run();
    expect(calls).toHaveLength(3);
  });

  it('should tell which handlers have not finished, and their last errors, as long as they have not', async () => {
    const { clock, runner, stopping } = arrange(['ok'], [later(10), 'ok'], [() => new Promise(() => undefined)]);
    expect(runner.describeUnfinished(ActivityKind.STARTUP)).toBe('');
    const running = runner.run(ActivityKind.STARTUP, stopping.signal).catch(() => undefined);
    await clock.advance(1000);
    expect(runner.describeUnfinished(ActivityKind.STARTUP)).toBe('Operator.b: not yet; Operator.c');
    expect(runner.describeUnfinished(ActivityKind.LOGIN)).toBe('');
    stopping.abort();
    await Promise.race([running, clock.advance(1000)]);
  });
});

describe('LoginActivity', () => {
  const GIVEN = { server: 'https://127.0.0.1:6443', token: 'secret' };

  it.each<[string, Script[], object]>([
    ['the credentials that a handler returns', [[GIVEN]], { 'Operator.a/a': expect.objectContaining(GIVEN) }],
    ['the first ones, without waiting for others', [[later(60)], [GIVEN]], { 'Operator.b/b': expect.anything() }],
    ['those of a retry', [[later(5), GIVEN]], { 'Operator.a/a': expect.objectContaining(GIVEN) }],
    ['nothing, if handlers have none', [[undefined], [null]], {}],
  ])('should log in with %s', async (_, scripts, expected) => {
    const { clock, registry, runner, stopping } = arrange(...scripts);
    const activity = new LoginActivity(registry, runner, clock);
    expect(activity.exists).toBe(true);
    expect(Object.fromEntries(await clock.runUntil(activity.login(stopping.signal)))).toEqual(expected);
  });

  it('should fail if no handler has any, and one has failed', async () => {
    const { clock, registry, runner, stopping } = arrange([undefined], [never]);
    const login = clock.runUntil(new LoginActivity(registry, runner, clock).login(stopping.signal));
    await expect(login).rejects.toThrow('No login handler has succeeded: Operator.b: never');
  });

  it('should fail with the last error if it is stopped while it waits for a retry', async () => {
    const { clock, registry, runner, stopping } = arrange([later(60)]);
    clock.setTimer(() => stopping.abort(), 1000);
    const login = clock.runUntil(new LoginActivity(registry, runner, clock).login(stopping.signal));
    await expect(login).rejects.toThrow('Operator.a: not yet');
  });

  it('should know if there are no handlers', () => {
    const { clock, registry, runner } = arrange();
    expect(new LoginActivity(registry, runner, clock).exists).toBe(false);
  });
});

describe('Probe', () => {
  function probing(...script: Script) {
    const { calls, clock, handlers, logger, runner, stopping } = arrange(script);
    const probe = new Probe(handlers[0], runner, clock, logger, { lifetime: 10, timeout: 5 }, stopping.signal);
    return { calls, clock, logger, check: () => clock.runUntil(probe.check()) };
  }

  it('should call the handler once for all who ask at the same time, and again when the report is old', async () => {
    const { calls, clock, check } = probing(1, 2);
    expect(await Promise.all([check(), check()])).toEqual([{ result: 1 }, { result: 1 }]);
    await clock.advance(9000);
    expect(await check()).toEqual({ result: 1 });
    await clock.advance(1000);
    expect(await check()).toEqual({ result: 2 });
    expect(calls).toEqual(['a at 0', 'a at 10']);
  });

  it('should report an error without a retry, and log it only once while it lasts', async () => {
    const { calls, clock, check, logger } = probing(new Error('broken'));
    for (let round = 0; round < 3; round += 1) {
      expect((await check()).error?.message).toBe('broken');
      await clock.advance(10_000);
    }
    expect(calls).toHaveLength(3);
    expect(logger.messages('error')).toHaveLength(1);
  });

  it('should report a handler that takes too long, and not call it again before it returns', async () => {
    let finish: (result: string) => void = () => undefined;
    const { calls, clock, check } = probing(() => new Promise((resolve) => (finish = resolve)), 'well again');
    expect((await check()).error).toMatchObject({ code: 'KOPF_HANDLER_TIMEOUT' });
    expect(clock.monotonic()).toBe(5000);
    await clock.advance(60_000);
    expect((await check()).error).toMatchObject({ code: 'KOPF_HANDLER_TIMEOUT' });
    expect(calls).toHaveLength(1);
    finish('late');
    await clock.settle();
    expect(await check()).toEqual({ result: 'well again' });
  });
});
