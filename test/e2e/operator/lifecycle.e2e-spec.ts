import {
  ActivityError,
  Daemon,
  Index,
  KopfIndices,
  KopfRegistry,
  KopfSettings,
  KopfWatcher,
  LoginError,
  OnCleanup,
  OnCreate,
  OnEvent,
  OnProbe,
  OnResume,
  OnStartup,
  OnUpdate,
  PermanentError,
  TemporaryError,
  Timer,
  type ActivityContext,
  type ChangeContext,
  type DaemonContext,
  type OperatorState,
} from 'nestjs-kopf';
import { SeededRandom } from 'nestjs-kopf/testing';
import { Calls } from '../../support/operators/calls.js';
import { KEX, OperatorHarness } from '../../support/operators/operator.harness.js';

const MANUAL = { enabled: false, unready: true } as const;

describe('The life of an operator', () => {
  let harness: OperatorHarness;
  let calls: Calls;

  beforeEach(async () => {
    harness = await OperatorHarness.start();
    calls = new Calls();
  });

  const run = <T>(promise: Promise<T>): Promise<T> => harness.clock.runUntil(promise);

  const makeOperator = () => {
    class Operator {
      @OnStartup()
      begin(context: ActivityContext) {
        calls.add('startup', context);
      }
      @OnCreate(...KEX)
      create(context: ChangeContext) {
        calls.add('create', context);
      }
      @OnResume(...KEX)
      resume(context: ChangeContext) {
        calls.add('resume', context);
      }
      @OnCleanup()
      end(context: ActivityContext) {
        calls.add('cleanup', context);
      }
    }
    return Operator;
  };

  describe('that is started by hand', () => {
    it('should do nothing before', async () => {
      const operator = await harness.run(makeOperator(), MANUAL);
      await harness.create('a');
      await harness.advance(60);
      expect([operator.state, operator.since, calls.ids]).toEqual(['idle', undefined, []]);
      expect(harness.writes).toEqual([]);
    });

    it('should go through its states', async () => {
      const operator = await harness.run(makeOperator(), MANUAL);
      const states: OperatorState[] = [];
      operator.state$.subscribe((state) => states.push(state));
      await run(operator.start());
      await run(operator.ready());
      operator.pause();
      await harness.advance(1);
      operator.resume();
      await harness.advance(1);
      await run(operator.stop());
      expect(states).toEqual(['idle', 'starting', 'running', 'paused', 'running', 'stopping', 'stopped']);
      expect(operator.since).toBeLessThanOrEqual(harness.clock.now());
    });

    it('should start once, however often it is told to', async () => {
      const operator = await harness.run(makeOperator(), MANUAL);
      const started = operator.start();
      expect(operator.start()).toBe(started);
      await run(started);
      await run(operator.start());
      await run(operator.ready());
      await run(operator.start());
      expect(calls.ids).toEqual(['startup']);
    });

    it('should stop once, however often it is told to', async () => {
      const operator = await harness.run(makeOperator(), MANUAL);
      await run(operator.start());
      await run(Promise.all([operator.stop(), operator.drain(), operator.stop()]));
      await run(operator.stop());
      expect(calls.ids).toEqual(['startup', 'cleanup']);
      expect(operator.state).toBe('stopped');
    });

    it('should start again as soon as it has stopped, if it is told to while it stops', async () => {
      await harness.create('a');
      const operator = await harness.run(makeOperator(), MANUAL);
      await run(operator.start());
      await run(operator.ready());
      await harness.advance(1);
      const stopped = operator.stop();
      const started = operator.start();
      await run(stopped);
      await run(started);
      await run(operator.ready());
      await harness.advance(1);
      expect(calls.ids).toEqual(['startup', 'create', 'cleanup', 'startup', 'resume']);
      expect(operator.state).toBe('running');
    });

    it('should be stopped with the application', async () => {
      const operator = await harness.run(makeOperator(), MANUAL);
      await run(operator.start());
      await harness.stop(operator);
      expect([operator.state, calls.ids]).toEqual(['stopped', ['startup', 'cleanup']]);
    });

    it('should have nothing to stop if it was never started', async () => {
      const operator = await harness.run(makeOperator(), MANUAL);
      await harness.stop(operator);
      expect([operator.state, calls.ids]).toEqual(['idle', []]);
    });

    it('should have a memo of its own in each run, unless one is given', async () => {
      const seen: unknown[] = [];
      class Remembering {
        @OnStartup()
        begin({ memo }: ActivityContext) {
          seen.push(memo.count);
          memo.count = (memo.count ?? 0) + 1;
        }
      }
      for (const memo of [undefined, { count: 10 }]) {
        const operator = await harness.run(Remembering, { ...MANUAL, memo });
        for (let time = 0; time < 2; time++) {
          await run(operator.start());
          await run(operator.stop());
        }
      }
      expect(seen).toEqual([undefined, undefined, 10, 11]);
    });
  });

  describe('that is stopped while it starts', () => {
    it('should not wait for the retries of startup handlers', async () => {
      class Failing {
        @OnStartup({ backoff: 3600 })
        begin(context: ActivityContext) {
          calls.add('startup', context);
          throw new Error('not yet');
        }
      }
      const operator = await harness.run(Failing, MANUAL);
      const started = operator.start();
      started.catch(() => undefined);
      await harness.advance(10);
      const before = harness.clock.now();
      await run(operator.stop());
      await expect(started).rejects.toMatchObject({ code: 'KOPF_STOPPED' });
      await expect(operator.ready()).rejects.toMatchObject({ code: 'KOPF_STOPPED' });
      expect(harness.clock.now() - before).toBeLessThan(1000);
      expect(calls.ids).toEqual(['startup']);
    });

    it('should not wait for a startup handler that hangs for longer than for other handlers', async () => {
      class Hanging {
        @OnStartup()
        begin({ signal }: ActivityContext) {
          signal.addEventListener('abort', () => calls.all.push({ id: 'abort', retry: 0 }));
          return new Promise(() => undefined);
        }
      }
      const operator = await harness.run(Hanging, MANUAL);
      void operator.start();
      await harness.advance(10);
      const before = harness.clock.now();
      await run(operator.stop());
      expect(harness.clock.now() - before).toBeLessThanOrEqual(2000);
      expect(calls.ids).toEqual(['abort']);
      expect(operator.state).toBe('stopped');
    });

    it('should not begin to watch afterwards', async () => {
      let proceed: () => void = () => undefined;
      class Slow {
        @OnStartup()
        begin() {
          return new Promise<void>((resolve) => (proceed = resolve));
        }
        @OnCreate(...KEX)
        create(context: ChangeContext) {
          calls.add('create', context);
        }
      }
      await harness.create('a');
      const operator = await harness.run(Slow, MANUAL);
      const started = operator.start();
      started.catch(() => undefined);
      await harness.advance(1);
      await run(operator.stop());
      proceed();
      await harness.advance(10);
      await expect(started).rejects.toMatchObject({ code: 'KOPF_STOPPED' });
      expect([operator.state, calls.ids, harness.get(KopfWatcher).states]).toEqual(['stopped', [], []]);
    });

    it('should not wait for the cluster', async () => {
      harness.kube.faults.stall('before', { times: Infinity });
      const operator = await harness.run(makeOperator(), MANUAL);
      await run(operator.start());
      await harness.advance(10);
      expect(operator.state).toBe('starting');
      const ready = operator.ready();
      ready.catch(() => undefined);
      const before = harness.clock.now();
      await run(operator.stop());
      await expect(ready).rejects.toMatchObject({ code: 'KOPF_STOPPED' });
      expect(harness.clock.now() - before).toBeLessThanOrEqual(4000);
      harness.kube.faults.clear();
    });
  });

  describe('that cannot start', () => {
    it('should tell why, and start when it can', async () => {
      let isReady = false;
      class Picky {
        @OnStartup()
        begin() {
          if (!isReady) throw new PermanentError('There is no licence.');
        }
        @OnCreate(...KEX)
        create(context: ChangeContext) {
          calls.add('create', context);
        }
      }
      const operator = await harness.run(Picky, { ...MANUAL, required: true });
      const ready = operator.ready();
      await expect(run(operator.start())).rejects.toBeInstanceOf(ActivityError);
      await expect(ready).rejects.toBeInstanceOf(ActivityError);
      expect(operator.state).toBe('failed');
      expect(operator.failure).toBeInstanceOf(ActivityError);
      isReady = true;
      await run(operator.start());
      await run(operator.ready());
      await harness.create('a');
      await harness.advance(1);
      expect([operator.state, operator.failure, calls.ids]).toEqual(['running', undefined, ['create']]);
    });

    it('should start when there are credentials', async () => {
      const fault = harness.kube.faults.reject(401, { times: Infinity });
      const operator = await harness.run(makeOperator(), { ...MANUAL, required: true });
      await run(operator.start());
      await harness.advance(10);
      expect(operator.state).toBe('failed');
      await expect(operator.ready()).rejects.toBeInstanceOf(LoginError);
      fault.cancel();
      await harness.advance(120);
      await run(operator.start());
      await run(operator.ready());
      expect(operator.state).toBe('running');
    });
  });

  describe('that pauses by hand', () => {
    it('should be ready, but handle nothing, if it is paused before the start', async () => {
      await harness.create('a');
      const operator = await harness.run(makeOperator(), MANUAL);
      operator.pause('not yet');
      await run(operator.start());
      await run(operator.ready());
      await harness.advance(600);
      expect([operator.state, operator.pauseStatus.reasons, calls.ids]).toEqual(['paused', ['not yet'], ['startup']]);
      operator.resume();
      await harness.advance(1);
      expect([operator.state, calls.ids]).toEqual(['running', ['startup', 'create']]);
    });

    it('should stop as one that works', async () => {
      const operator = await harness.run(makeOperator());
      operator.pause();
      await harness.advance(1);
      await harness.stop(operator);
      expect([operator.state, calls.ids]).toEqual(['stopped', ['startup', 'cleanup']]);
    });
  });

  describe('in an application with others', () => {
    it('should have its own handlers, settings, memos, indices, and watchers', async () => {
      const seen: string[] = [];
      const makeOne = (name: string) => {
        class Operator {
          @OnStartup()
          begin({ memo, settings }: ActivityContext) {
            memo.name = name;
            settings.persistence.finalizer = `${name}.example.com/finalizer`;
          }
          @Index(...KEX)
          names({ name: object }: { name: string }) {
            return { [`${name}:${object}`]: true };
          }
          @OnEvent(...KEX)
          note({ memo, indices, name: object }: any) {
            seen.push(`${memo.name} ${object} ${[...indices.names.keys()].join()}`);
          }
        }
        return Operator;
      };
      const options = (seed: number, namespace: string, identity: string) => ({
        random: new SeededRandom(seed),
        namespaces: namespace,
        peering: { identity },
      });
      await harness.create('a', { metadata: { namespace: 'ns' } as never });
      await harness.create('b', { metadata: { namespace: 'other' } as never });
      const one = await harness.run(makeOne('one'), options(11, 'ns', 'one'));
      const first = [KopfRegistry, KopfSettings, KopfIndices, KopfWatcher].map((type) => harness.get<any>(type));
      const two = await harness.run(makeOne('two'), options(12, 'other', 'two'));
      const second = [KopfRegistry, KopfSettings, KopfIndices, KopfWatcher].map((type) => harness.get<any>(type));
      await harness.advance(1);
      expect(seen).toEqual(['one a one:a', 'two b two:b']);
      expect([first[1].persistence.finalizer, second[1].persistence.finalizer]).toEqual([
        'one.example.com/finalizer',
        'two.example.com/finalizer',
      ]);
      expect([first[3].states.length, second[3].states.length]).toEqual([1, 1]);
      two.pause();
      await harness.advance(1);
      expect([one.state, two.state]).toEqual(['running', 'paused']);
      await harness.stop(two);
      await harness.create('c', { metadata: { namespace: 'ns' } as never });
      await harness.advance(1);
      expect([one.state, two.state, seen.at(-1)]).toEqual(['running', 'stopped', 'one c one:a,one:c']);
    });
  });

  describe('that is stopped', () => {
    async function timeOf(work: () => Promise<unknown>): Promise<number> {
      const before = harness.clock.now();
      await run(work());
      return (harness.clock.now() - before) / 1000;
    }

    it('should not wait for handlers that hang for longer than the setting', async () => {
      class Hanging {
        @OnCreate(...KEX)
        create(context: ChangeContext) {
          calls.add('create', context);
          context.signal.addEventListener('abort', () => calls.add('abort', context));
          return new Promise(() => undefined);
        }
      }
      const operator = await harness.run(Hanging, { queueing: { exitTimeout: 3 } });
      await harness.create('a');
      await harness.advance(1);
      expect(await timeOf(() => operator.stop())).toBeCloseTo(3, 1);
      expect(calls.ids).toEqual(['create', 'abort']);
      expect(harness.logger.messages('warn').join()).toContain('not waited for any longer');
    });

    it('should not wait for daemons that ignore everything for longer than the setting, however many', async () => {
      class Ignoring {
        @Daemon(...KEX)
        ignore() {
          return new Promise(() => undefined);
        }
      }
      const operator = await harness.run(Ignoring, { background: { exitTimeout: 4 } });
      for (let index = 0; index < 20; index++) await harness.create(`o-${index}`);
      await harness.advance(1);
      expect(operator.daemons).toBe(20);
      expect(await timeOf(() => operator.stop())).toBeCloseTo(4, 1);
    });

    it('should not wait for cleanup handlers that hang for longer than the setting', async () => {
      class Hanging {
        @OnCleanup()
        end({ signal }: ActivityContext) {
          signal.addEventListener('abort', () => calls.all.push({ id: 'abort', retry: 0 }));
          return new Promise(() => undefined);
        }
      }
      const operator = await harness.run(Hanging, { process: { ultimateExitingTimeout: 30 } });
      expect(await timeOf(() => operator.stop())).toBeCloseTo(30, 1);
      expect(calls.ids).toEqual(['abort']);
      expect(operator.state).toBe('stopped');
    });

    it('should not wait for a cluster that is away', async () => {
      class Working {
        @OnCreate(...KEX)
        create(context: ChangeContext) {
          context.info({ reason: 'Created', message: 'it works' });
          return 1;
        }
      }
      const operator = await harness.run(Working);
      await harness.kube.faults.goDown();
      expect(await timeOf(() => operator.stop())).toBeLessThanOrEqual(6);
      await harness.kube.faults.comeBack();
    });
  });

  it('should leave nothing behind, however often it is started and stopped', async () => {
    class Busy extends makeOperator() {
      @Daemon(...KEX)
      async run({ stopped }: DaemonContext) {
        while (!stopped.isSet) await stopped.wait(10);
      }
      @Timer(...KEX, { interval: 5 })
      tick() {}
      @Index(...KEX)
      names({ name }: { name: string }) {
        return name;
      }
    }
    for (let index = 0; index < 10; index++) await harness.create(`o-${index}`);
    const operator = await harness.run(Busy, MANUAL);
    const idle = harness.clock.pending;
    for (let time = 0; time < 20; time++) {
      await run(operator.start());
      await run(operator.ready());
      await harness.advance(7);
      expect([operator.state, operator.daemons, operator.objects]).toEqual(['running', 20, 10]);
      await run(operator.stop());
      expect([operator.daemons, operator.objects, harness.get(KopfWatcher).states.length]).toEqual([0, 0, 0]);
      expect(harness.clock.pending).toBe(idle);
      expect(harness.kube.openWatches).toBe(0);
    }
  });

  it('should let no exception become an unhandled rejection', async () => {
    const unhandled: unknown[] = [];
    const note = (reason: unknown): void => void unhandled.push(reason);
    process.on('unhandledRejection', note);
    onTestFinished(() => void process.off('unhandledRejection', note));
    const nothing = undefined as unknown as Error;
    class Failing {
      @OnStartup({ errors: 'ignored' })
      begin() {
        return Promise.reject(new Error('startup'));
      }
      @Index(...KEX)
      names() {
        throw new Error('index');
      }
      @OnEvent(...KEX)
      event() {
        return Promise.reject(nothing);
      }
      @OnEvent(...KEX, {
        when: ({ name }) => {
          if (name === 'b') throw new Error('filter');
          return true;
        },
      })
      filtered() {}
      @OnCreate(...KEX, { timeout: 1 })
      late() {
        return harnessSleep(5).then(() => Promise.reject(new Error('late')));
      }
      @OnUpdate(...KEX)
      update() {
        throw 'a string';
      }
      @Daemon(...KEX, { retries: 2, backoff: 1 })
      synchronous() {
        throw new Error('daemon');
      }
      @Daemon(...KEX)
      asynchronous({ signal }: DaemonContext) {
        return new Promise((_resolve, reject) => signal.addEventListener('abort', () => reject(new Error('abort'))));
      }
      @Timer(...KEX, { interval: 1, initialDelay: () => Number.NaN })
      tick() {
        throw new TemporaryError('timer', { delay: 1 });
      }
      @OnProbe()
      probe() {
        throw new Error('probe');
      }
      @OnCleanup()
      end() {
        return Promise.reject(new PermanentError('cleanup'));
      }
    }
    const harnessSleep = (seconds: number): Promise<void> =>
      new Promise((resolve) => void harness.clock.setTimer(resolve, seconds * 1000));
    await harness.run(Failing);
    await harness.create('a');
    await harness.advance(3);
    await harness.patch('a', { spec: { field: 'v2' } });
    await harness.advance(30);
    await harness.delete('a');
    await harness.create('b');
    await harness.advance(30);
    await harness.stop();
    await harness.advance(60);
    expect(unhandled).toEqual([]);
    const errors = harness.logger.messages('error').join('\n');
    for (const what of ['startup', 'index', 'filter', 'a string', 'daemon', 'timer', 'cleanup', 'timed out']) {
      expect(errors).toContain(what);
    }
  });
});
