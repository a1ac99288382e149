import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Test } from '@nestjs/testing';
import { EmbeddedKube } from 'embedded-kube';
import {
  ActivityError,
  KopfModule,
  KopfOperator,
  OnCleanup,
  OnCreate,
  OnStartup,
  Validate,
  PermanentError,
  type ActivityContext,
  type ChangeContext,
  type OperatorState,
} from 'nestjs-kopf';
import { Calls } from '../../support/operators/calls.js';
import { MemoryLogger } from '../../support/telemetry/memory.logger.js';
import { KEX, OperatorHarness } from '../../support/operators/operator.harness.js';

const UNREADY = { unready: true } as const;

describe('An operator that fails', () => {
  let harness: OperatorHarness;
  let calls: Calls;
  let isLicensed: boolean;

  beforeEach(async () => {
    harness = await OperatorHarness.start();
    calls = new Calls();
    isLicensed = false;
  });

  const run = <T>(promise: Promise<T>): Promise<T> => harness.clock.runUntil(promise);
  const makeOperator = () => {
    class Operator {
      @OnStartup()
      open(context: ActivityContext) {
        calls.add('open', context);
        context.memo.opened = calls.count('open');
      }
      @OnStartup()
      license(context: ActivityContext) {
        calls.add('license', context);
        if (!isLicensed) throw new PermanentError('There is no licence.');
      }
      @OnCreate(...KEX)
      create(context: ChangeContext) {
        calls.add('create', context);
        return context.memo.opened;
      }
      @OnCleanup()
      end(context: ActivityContext) {
        calls.add('cleanup', context);
      }
    }
    return Operator;
  };

  it('should start again with growing pauses, until it works', async () => {
    const states: string[] = [];
    const begin = harness.clock.monotonic();
    const operator = await harness.run(makeOperator(), UNREADY);
    operator.state$.subscribe((state) => states.push(`${state} at ${(harness.clock.monotonic() - begin) / 1000}`));
    await harness.advance(600);
    const attempts = states.filter((state) => state.startsWith('starting')).map((state) => Number(state.split(' ')[2]));
    const pauses = attempts.map((at, index) => at - (attempts[index - 1] ?? 0));
    expect(pauses.length).toBeGreaterThanOrEqual(12);
    for (const [index, longest] of [1, 2, 4, 8, 16, 32, 60, 60, 60].entries()) {
      expect(pauses[index]).toBeLessThanOrEqual(longest);
      expect(pauses[index]).toBeGreaterThanOrEqual(longest / 2);
    }
    isLicensed = true;
    await harness.advance(60);
    await run(operator.ready());
    expect([operator.state, operator.failure, operator.nextAttemptAt]).toEqual(['running', undefined, undefined]);
  });

  it('should pause as the setting says', async () => {
    const operator = await harness.run(makeOperator(), { ...UNREADY, process: { startBackoffs: [5] } });
    const failedAt = harness.clock.now();
    expect([operator.state, operator.nextAttemptAt]).toEqual(['failed', failedAt + 5000]);
    isLicensed = true;
    await harness.advance(4.9);
    expect(operator.state).toBe('failed');
    await harness.advance(0.2);
    expect(operator.state).not.toBe('failed');
  });

  it('should keep what startup handlers have done, call those that have failed, and clean up once', async () => {
    await harness.create('a');
    const operator = await harness.run(makeOperator(), UNREADY);
    await harness.advance(10);
    expect(new Set(calls.take())).toEqual(new Set(['open', 'license']));
    isLicensed = true;
    await harness.advance(60);
    await run(operator.ready());
    await harness.advance(1);
    expect(calls.ids).toEqual(['license', 'create']);
    expect((await harness.object('a')).status).toMatchObject({ create: 1 });
    await harness.stop(operator);
    expect(calls.ids).toEqual(['license', 'create', 'cleanup']);
  });

  it('should call all startup handlers again after it was stopped', async () => {
    const operator = await harness.run(makeOperator(), UNREADY);
    await run(operator.stop());
    expect(calls.take()).toEqual(['open', 'license', 'cleanup']);
    isLicensed = true;
    await run(operator.start());
    await run(operator.ready());
    expect(calls.take()).toEqual(['open', 'license']);
  });

  it('should log a reason once, and another one when it comes', async () => {
    let reason = 'There is no licence.';
    class Operator {
      @OnStartup()
      license() {
        throw new PermanentError(reason);
      }
    }
    await harness.run(Operator, UNREADY);
    const lines = (level: 'error' | 'debug') =>
      harness.logger.messages(level).filter((line) => line.includes('cannot work'));
    await harness.advance(300);
    expect(lines('error')).toEqual([expect.stringContaining('in 1 second: ')]);
    expect(lines('debug').length).toBeGreaterThan(5);
    reason = 'The licence has expired.';
    await harness.advance(300);
    expect(lines('error')).toEqual([expect.stringContaining('no licence'), expect.stringContaining('has expired')]);
  });

  it('should let those wait who want it to be ready', async () => {
    const operator = await harness.run(makeOperator(), UNREADY);
    const outcomes: unknown[] = [];
    const ready = operator.ready().then(
      () => outcomes.push('ready'),
      (error: unknown) => outcomes.push(error),
    );
    await harness.advance(100);
    expect([outcomes, operator.failure]).toEqual([[], expect.any(ActivityError)]);
    isLicensed = true;
    await run(ready);
    expect(outcomes).toEqual(['ready']);
  });

  describe('that is stopped meanwhile', () => {
    it('should not start again, and tell so whoever waits for it', async () => {
      const operator = await harness.run(makeOperator(), UNREADY);
      const ready = operator.ready();
      ready.catch(() => undefined);
      await harness.advance(10);
      const before = harness.clock.now();
      await run(operator.stop());
      await expect(ready).rejects.toMatchObject({ code: 'KOPF_STOPPED' });
      expect(harness.clock.now() - before).toBeLessThan(1000);
      calls.take();
      isLicensed = true;
      await harness.advance(600);
      expect([operator.state, calls.ids]).toEqual(['stopped', []]);
    });

    it('should not hold up the application, though a startup handler hangs', async () => {
      class Hanging {
        @OnStartup()
        connect({ signal }: ActivityContext) {
          signal.addEventListener('abort', () => calls.all.push({ id: 'abort', retry: 0 }));
          return new Promise(() => undefined);
        }
      }
      const operator = await harness.run(Hanging, UNREADY);
      await harness.advance(3600);
      expect(operator.waitingFor).toBe('The startup has not finished: Hanging.connect.');
      const before = harness.clock.now();
      await harness.stop(operator);
      expect(harness.clock.now() - before).toBeLessThanOrEqual(2000);
      expect([operator.state, operator.waitingFor, calls.ids]).toEqual(['stopped', undefined, ['abort']]);
    });

    it('should stop in the middle of an attempt', async () => {
      harness.kube.faults.stall('before', { times: Infinity });
      const operator = await harness.run(makeOperator(), UNREADY);
      isLicensed = true;
      await harness.advance(5);
      expect(operator.state).toBe('starting');
      await harness.stop(operator);
      expect(operator.state).toBe('stopped');
      harness.kube.faults.clear();
    });

    it('should leave nothing behind, however often it has tried', async () => {
      const operator = await harness.run(makeOperator(), { enabled: false, unready: true });
      const idle = harness.clock.pending;
      await run(operator.start().catch(() => undefined));
      await harness.advance(7200);
      expect(calls.count('license')).toBeGreaterThan(120);
      expect(harness.clock.pending).toBe(idle + 1);
      await run(operator.stop());
      expect([harness.clock.pending, harness.kube.openWatches]).toEqual([idle, 0]);
    });
  });

  describe('that is started by hand', () => {
    it('should tell how this attempt has ended, and go on by itself', async () => {
      const operator = await harness.run(makeOperator(), { enabled: false, unready: true });
      await expect(run(operator.start())).rejects.toThrow('There is no licence.');
      expect(operator.state).toBe('failed');
      isLicensed = true;
      await harness.advance(2);
      await run(operator.ready());
      expect(operator.state).toBe('running');
    });

    it('should try at once, instead of waiting for its next attempt', async () => {
      const operator = await harness.run(makeOperator(), { ...UNREADY, process: { startBackoffs: [3600] } });
      await harness.advance(10);
      await expect(run(operator.start())).rejects.toThrow('There is no licence.');
      isLicensed = true;
      await run(operator.start());
      await run(operator.ready());
      expect(operator.state).toBe('running');
      calls.take();
      await harness.advance(7200);
      expect([operator.state, calls.ids]).toEqual(['running', []]);
    });
  });

  describe('that is required', () => {
    it('should fail the start of the application, and not start again', async () => {
      await expect(harness.run(makeOperator(), { required: true })).rejects.toBeInstanceOf(ActivityError);
      const operator = harness.get(KopfOperator);
      isLicensed = true;
      await harness.advance(3600);
      expect([operator.required, operator.state, operator.nextAttemptAt]).toEqual([true, 'failed', undefined]);
      await expect(operator.ready()).rejects.toBeInstanceOf(ActivityError);
      expect(calls.ids).toEqual(['open', 'license']);
    });
  });

  describe('because of something that has to be corrected', () => {
    class Validating {
      @Validate(...KEX)
      check() {}
    }

    it('should fail the start of the application if no startup handler can change it', async () => {
      await expect(harness.run(Validating, UNREADY)).rejects.toMatchObject({
        code: 'KOPF_OPTIONS',
        message: expect.stringContaining('admission.server is missing'),
      });
      expect(harness.get(KopfOperator).state).toBe('failed');
    });

    it('should neither start again nor end the application if a startup handler has done it', async () => {
      class Configuring {
        @OnStartup()
        configure({ settings }: ActivityContext) {
          settings.watching.pageSize = -1;
          settings.process.startBackoffs = ['soon'] as never;
        }
      }
      const operator = await harness.run(Configuring, UNREADY);
      await harness.advance(3600);
      expect([operator.state, operator.nextAttemptAt]).toEqual(['failed', undefined]);
      await expect(operator.ready()).rejects.toMatchObject({ code: 'KOPF_OPTIONS' });
      expect(harness.logger.messages('error')).toEqual([
        expect.stringMatching(/watching\.pageSize.* correct this, and restart the application or call KopfOperator/),
      ]);
    });
  });

  describe('after it has worked', () => {
    it('should start again with growing pauses, as long as it never works for long', async () => {
      let isBroken = false;
      const serve = async (signal: AbortSignal) => {
        while (!isBroken && !signal.aborted) await sleep(1);
        if (isBroken) throw new Error('The port is in use.');
        return { done: true };
      };
      const server = {
        serve: (_review: unknown, { signal }: { signal: AbortSignal }) => ({
          [Symbol.asyncIterator]: () => ({ next: () => serve(signal) }),
        }),
      };
      const sleep = (seconds: number): Promise<void> =>
        new Promise((resolve) => void harness.clock.setTimer(resolve, seconds * 1000));
      class Validating {
        @Validate(...KEX)
        check() {}
        @OnCreate(...KEX)
        create(context: ChangeContext) {
          calls.add('create', context);
        }
      }
      const operator = await harness.run(Validating, { admission: { server: server as never } });
      const states: OperatorState[] = [];
      operator.state$.subscribe((state) => states.push(state));
      isBroken = true;
      await harness.advance(300);
      expect(states.filter((state) => state === 'failed').length).toBeLessThan(15);
      expect(harness.logger.messages('error')).toEqual([expect.stringContaining('The port is in use.')]);
      isBroken = false;
      await harness.advance(120);
      await run(operator.ready());
      await harness.create('a');
      await harness.advance(1);
      expect([operator.state, calls.ids]).toEqual(['running', ['create']]);
    });
  });
});

describe('A kubeconfig', () => {
  it('should be found when it is written after the application has started', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'kopf-late-'));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    const path = join(folder, 'config');
    vi.stubEnv('KUBECONFIG', path);
    onTestFinished(() => void vi.unstubAllEnvs());
    const module = await Test.createTestingModule({
      imports: [KopfModule.forRoot({ process: { startBackoffs: [0.1] }, peering: { standalone: true } })],
    })
      .setLogger(false as never)
      .compile();
    onTestFinished(() => module.close());
    await module.init();
    const operator = module.get(KopfOperator);
    await new Promise<void>((resolve) => operator.state$.subscribe((state) => state === 'failed' && resolve()));
    expect(operator.failure).toMatchObject({ message: expect.stringContaining('No such kubeconfig') });
    const kube = await EmbeddedKube.start({ logger: new MemoryLogger() });
    onTestFinished(() => kube.stop());
    kube.writeKubeconfig(path);
    await operator.ready();
    expect(operator.state).toBe('running');
  });
});
