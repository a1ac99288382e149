import { MemoryLogger } from '../../../../test/support/telemetry/memory.logger.js';
import { Deferred } from 'kube-common';
import { Pauses } from '../coordination/pausing/pauses.js';
import type { UnservedResource } from '../resources/resource-selector.js';
import { VirtualClock } from '../testing/time/virtual.clock.js';
import { OperatorLifecycle } from './operator.lifecycle.js';
import { OperatorStoppedError } from './operator-stopped.error.js';

type Part = 'startUp' | 'logIn' | 'install' | 'drain' | 'cleanUp' | 'close' | 'discard';

/** A session whose parts are only written down; a part ends when the test lets it, if the test has a promise for it. */
class FakeSession {
  isStopping = false;
  readonly objects = 2;
  unserved: readonly UnservedResource[] = [];
  startup?: Set<unknown>;
  /** Reports that all objects are listed. */
  onReady!: () => void;
  onFailed!: (error: unknown) => void;

  constructor(
    private readonly name: string,
    private readonly calls: string[],
    private readonly parts: Partial<Record<Part, Promise<void>>>,
  ) {}

  startUp(startup: Set<unknown>) {
    this.startup = startup;
    return this.note('startUp');
  }
  logIn = () => this.note('logIn');
  install = () => this.note('install');
  cleanUp = () => this.note('cleanUp');
  close = () => this.note('close');
  discard = () => this.note('discard');
  drain() {
    this.isStopping = true;
    return this.note('drain');
  }
  run(onReady: () => void, onFailed: (error: unknown) => void): void {
    this.calls.push(`${this.name}: run`);
    Object.assign(this, { onReady, onFailed });
  }

  private note(part: Part): Promise<void> {
    this.calls.push(`${this.name}: ${part}`);
    return this.parts[part] ?? Promise.resolve();
  }
}

/** @param parts the promises of the parts of each session, where they do not end at once. */
function arrange(...parts: readonly Partial<Record<Part, Promise<void>>>[]) {
  const clock = new VirtualClock();
  const logger = new MemoryLogger();
  const pauses = new Pauses();
  const calls: string[] = [];
  const sessions: FakeSession[] = [];
  const states: string[] = [];
  let retry: (() => void) | undefined;
  const retries = {
    required: false,
    isFinal: true,
    schedule: (_error: unknown, start: () => void) => {
      if (retries.isFinal) return false;
      retry = start;
      return true;
    },
    cancel: () => (retry = undefined),
    reset: () => calls.push('reset retries'),
    noteReady: () => calls.push('note ready'),
  };
  const create = (): FakeSession => {
    const index = sessions.length;
    const session = new FakeSession(String(index), calls, parts[index] ?? {});
    sessions.push(session);
    return session;
  };
  const lifecycle = new OperatorLifecycle(
    { create } as never,
    pauses,
    { renew: () => calls.push('renew memo') } as never,
    retries as never,
    {} as never,
    clock,
    logger,
  );
  lifecycle.state$.subscribe((state) => states.push(state));
  const started = async (): Promise<FakeSession> => {
    await lifecycle.start();
    return sessions.at(-1)!;
  };
  /** How the promise of readiness is: pending, ready, or the error. */
  const readiness = (): Promise<unknown> =>
    Promise.race([
      lifecycle.ready().then(
        () => 'ready',
        (error: unknown) => error,
      ),
      clock.settle().then(() => 'pending'),
    ]);
  return {
    calls,
    clock,
    lifecycle,
    logger,
    pauses,
    readiness,
    retries,
    retry: () => retry?.(),
    sessions,
    started,
    states,
  };
}

const START = ['reset retries', 'renew memo', '0: startUp', '0: logIn', '0: install', '0: run'];

describe('OperatorLifecycle', () => {
  it('should start a session step by step, and be ready once all objects are listed', async () => {
    const { calls, lifecycle, logger, readiness, started, states } = arrange();
    const session = await started();
    expect([calls, lifecycle.state, await readiness()]).toEqual([START, 'starting', 'pending']);
    session.onReady();
    expect(states).toEqual(['idle', 'starting', 'running']);
    expect(await readiness()).toBe('ready');
    expect(logger.messages('log')).toEqual(['The operator is ready: it watches 2 objects.']);
  });

  it('should name the handlers whose resources are not served', async () => {
    const { logger, started } = arrange();
    const session = await started();
    session.unserved = [{ resource: 'confgmaps', reason: '', handlers: ['A.b', 'C.d'], suggestions: ['configmaps'] }];
    session.onReady();
    expect(logger.messages('log')).toEqual([
      'The operator is ready, but not for all handlers: A.b and C.d (confgmaps, did you mean configmaps?). It watches 2 objects.',
    ]);
  });

  it('should start only once, and again only after a stop', async () => {
    const { lifecycle, sessions, started } = arrange();
    expect(lifecycle.start()).toBe(lifecycle.start());
    (await started()).onReady();
    await lifecycle.start();
    expect(sessions).toHaveLength(1);
    await lifecycle.stop();
    await lifecycle.start();
    expect(sessions).toHaveLength(2);
    expect(sessions[1].startup).not.toBe(sessions[0].startup);
  });

  it('should follow its pauses, as soon as it is ready', async () => {
    const { lifecycle, pauses, started, states } = arrange();
    lifecycle.pause();
    const session = await started();
    lifecycle.resume();
    lifecycle.pause();
    session.onReady();
    lifecycle.resume();
    pauses.set('lease', '');
    lifecycle.pause();
    lifecycle.resume();
    expect(states).toEqual(['idle', 'starting', 'paused', 'running', 'paused']);
    await lifecycle.stop();
    pauses.lift('lease');
    expect(lifecycle.state).toBe('stopped');
  });

  it('should know since when it is in its state', async () => {
    const { clock, lifecycle, started } = arrange();
    expect(lifecycle.since).toBeUndefined();
    const session = await started();
    clock.block(5000);
    session.onReady();
    clock.block(5000);
    expect(lifecycle.since).toBe(clock.now() - 5000);
  });

  describe('when it fails', () => {
    const error = new Error('!');

    it.each<[Part, boolean]>([
      ['startUp', false],
      ['logIn', true],
      ['install', true],
    ])('should reject the start that fails at %s', async (part, isPrepared) => {
      const { calls, clock, lifecycle, readiness } = arrange({ [part]: Promise.reject(error) });
      await expect(lifecycle.start()).rejects.toBe(error);
      expect([lifecycle.state, lifecycle.failure, await readiness()]).toEqual(['failed', error, error]);
      expect(calls.at(-1)).toBe(`0: ${part}`);
      const prepared = await Promise.race([lifecycle.prepared.then(() => true), clock.settle().then(() => false)]);
      expect(prepared).toBe(isPrepared);
    });

    it('should stay pending and start again with the same startup handlers if there is another attempt', async () => {
      const { calls, lifecycle, readiness, retries, retry, sessions } = arrange({ logIn: Promise.reject(error) });
      retries.isFinal = false;
      await expect(lifecycle.start()).rejects.toBe(error);
      expect([lifecycle.state, await readiness(), calls.at(-1)]).toEqual(['failed', 'pending', '0: discard']);
      calls.length = 0;
      retry();
      await lifecycle.start();
      expect(calls).toEqual(['1: startUp', '1: logIn', '1: install', '1: run']);
      expect(sessions[1].startup).toBe(sessions[0].startup);
      sessions[1].onReady();
      expect([lifecycle.state, lifecycle.failure, await readiness()]).toEqual(['running', undefined, 'ready']);
    });

    it('should begin another session only when the failed one is discarded', async () => {
      const discarded = new Deferred();
      const { clock, lifecycle, retries, sessions } = arrange({
        logIn: Promise.reject(error),
        discard: discarded.promise,
      });
      retries.isFinal = false;
      await expect(lifecycle.start()).rejects.toBe(error);
      const again = lifecycle.start();
      await clock.settle();
      expect(sessions).toHaveLength(1);
      discarded.resolve();
      await again;
      expect(sessions).toHaveLength(2);
    });

    it('should need another readiness if it fails after it was ready', async () => {
      const { lifecycle, readiness, retries, started } = arrange();
      retries.isFinal = false;
      const session = await started();
      session.onReady();
      expect(await readiness()).toBe('ready');
      session.onFailed(error);
      expect([lifecycle.state, await readiness()]).toEqual(['failed', 'pending']);
    });

    it('should stop what is left of a failed start before it starts from the beginning', async () => {
      const { calls, lifecycle } = arrange({ logIn: Promise.reject(error) });
      await expect(lifecycle.start()).rejects.toBe(error);
      calls.length = 0;
      await lifecycle.start();
      expect(calls).toEqual(['0: drain', '0: cleanUp', '0: close', ...START.map((call) => call.replace('0', '1'))]);
    });

    it.each<[string, (arranged: ReturnType<typeof arrange>) => Promise<unknown>]>([
      ['of a session that is over', async ({ lifecycle }) => (await lifecycle.stop(), lifecycle.start())],
      ['of a session that is stopping', async ({ lifecycle }) => lifecycle.drain()],
    ])('should not mind a failure %s', async (_what, end) => {
      const arranged = arrange();
      const session = await arranged.started();
      await end(arranged);
      const { state } = arranged.lifecycle;
      session.onFailed(error);
      session.onReady();
      expect(arranged.lifecycle.state).toBe(state);
    });
  });

  describe('when it stops', () => {
    it('should drain the session, run the cleanup handlers, and close the session, once', async () => {
      const { calls, lifecycle, readiness, started, states } = arrange();
      (await started()).onReady();
      calls.length = 0;
      await Promise.all([lifecycle.drain(), lifecycle.stop(), lifecycle.stop()]);
      expect(calls).toEqual(['0: drain', '0: cleanUp', '0: close']);
      expect(states.slice(-2)).toEqual(['stopping', 'stopped']);
      expect([lifecycle.engine, await readiness()]).toEqual([undefined, 'ready']);
    });

    it('should tell those who wait for its readiness', async () => {
      const { lifecycle, readiness, started } = arrange();
      await started();
      await lifecycle.stop();
      expect(await readiness()).toBeInstanceOf(OperatorStoppedError);
    });

    it('should reject a start that is under way, whatever becomes of its parts', async () => {
      const login = new Deferred();
      const { clock, lifecycle } = arrange({ logIn: login.promise.then(() => Promise.reject(new Error('!'))) });
      const start = lifecycle.start();
      await clock.settle();
      const stop = lifecycle.stop();
      login.resolve();
      await expect(start).rejects.toBeInstanceOf(OperatorStoppedError);
      await stop;
      expect(lifecycle.state).toBe('stopped');
    });

    it('should start again only when it has stopped', async () => {
      const closed = new Deferred();
      const { clock, lifecycle, sessions, started } = arrange({ close: closed.promise });
      await started();
      const stop = lifecycle.stop();
      const again = lifecycle.start();
      await clock.settle();
      expect([lifecycle.state, sessions.length]).toEqual(['stopping', 1]);
      closed.resolve();
      await Promise.all([stop, again]);
      expect([lifecycle.state, sessions.length]).toEqual(['starting', 2]);
    });

    it('should have nothing to do if it was never started', async () => {
      const { calls, lifecycle, states } = arrange();
      await Promise.all([lifecycle.drain(), lifecycle.stop()]);
      expect([calls, states]).toEqual([[], ['idle']]);
    });
  });
});
