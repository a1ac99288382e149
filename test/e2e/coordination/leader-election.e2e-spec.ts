import { OnCreate, OnUpdate, Timer, type ChangeContext, type KubeObject, type KubeRequest } from 'nestjs-kopf';
import { SeededRandom } from 'nestjs-kopf/testing';
import { KEX, OperatorHarness, errorResponse, type OperatorOptions } from '../../support/operators/operator.harness.js';
import { HandlerLog } from './handler.log.js';

const LEASES = '/apis/coordination.k8s.io/v1/namespaces/default/leases';
const LEASE = `${LEASES}/kopf-operator`;
const MICRO_TIME = /^2021-01-01T\d\d:\d\d:\d\d\.\d{6}Z$/;

/** A lease of 15 seconds, and the longest time between two looks at it. */
const TAKEOVER = 15 + 2.2;

let seed = 500;

function called(identity: string, more: OperatorOptions = {}): OperatorOptions {
  return { coordination: 'lease', random: new SeededRandom(seed++), ...more, peering: { identity } };
}

function handlersOf(log: HandlerLog, operator: string, work: (context: ChangeContext) => Promise<unknown>) {
  class Operator {
    @OnCreate(...KEX)
    create(context: ChangeContext) {
      return log.during(operator, context, () => work(context));
    }

    @OnUpdate(...KEX)
    update(context: ChangeContext) {
      return log.during(operator, context, () => work(context));
    }
  }
  return Operator;
}

const quick = (): Promise<void> => Promise.resolve();

function lasting(harness: OperatorHarness, seconds: number): () => Promise<void> {
  return () => new Promise((resolve) => harness.clock.setTimer(resolve, seconds * 1000));
}

async function leaseOf(harness: OperatorHarness): Promise<Record<string, any>> {
  return (await harness.send('GET', LEASE)).spec as Record<string, any>;
}

function isHandled({ metadata }: KubeObject): boolean {
  return metadata.annotations?.['kopf.zalando.org/last-handled-configuration'] !== undefined;
}

describe('a lease', () => {
  let harness: OperatorHarness;
  let log: HandlerLog;

  beforeEach(async () => {
    harness = await OperatorHarness.start();
    log = new HandlerLog(harness.clock);
  });

  it('should be created in the form that other clients know, and be renewed', async () => {
    await harness.run(handlersOf(log, 'one', quick), called('one'));
    const lease = await leaseOf(harness);
    expect(lease).toEqual({
      holderIdentity: 'one',
      leaseDurationSeconds: 15,
      acquireTime: expect.stringMatching(MICRO_TIME) as string,
      renewTime: lease.acquireTime,
      leaseTransitions: 0,
    });
    await harness.advance(60);
    const renewed = await leaseOf(harness);
    expect(renewed).toMatchObject({ acquireTime: lease.acquireTime, leaseTransitions: 0 });
    const age = harness.clock.now() - Date.parse(renewed.renewTime as string);
    expect(age).toBeGreaterThanOrEqual(0);
    expect(age).toBeLessThanOrEqual(2000);
  });

  it('should let only its holder work', async () => {
    const one = await harness.run(handlersOf(log, 'one', quick), called('one'));
    const two = await harness.run(handlersOf(log, 'two', quick), called('two'));
    expect([one.state, two.state]).toEqual(['running', 'paused']);
    expect(two.pauseStatus.reasons).toEqual(['The Lease default/kopf-operator is held by one.']);
    await harness.create('a');
    await harness.advance(100);
    expect([one.state, two.state]).toEqual(['running', 'paused']);
    expect(log.objectsOf('one')).toEqual(['a']);
    expect(log.objectsOf('two')).toEqual([]);
  });

  it('should be released at the end, so that the other one works at once', async () => {
    const one = await harness.run(handlersOf(log, 'one', quick), called('one'));
    const two = await harness.run(handlersOf(log, 'two', quick), called('two'));
    await harness.stop(one);
    expect(await leaseOf(harness)).toMatchObject({ holderIdentity: '', leaseDurationSeconds: 1, leaseTransitions: 0 });
    await harness.advance(2.3);
    expect(two.state).toBe('running');
    expect(await leaseOf(harness)).toMatchObject({ holderIdentity: 'two', leaseTransitions: 1 });
  });

  it('should be taken over after a crash, without leaving out any object, and without clashes', async () => {
    const one = await harness.run(handlersOf(log, 'one', lasting(harness, 3)), called('one'));
    const two = await harness.run(handlersOf(log, 'two', lasting(harness, 1)), called('two'));
    const names = Array.from({ length: 30 }, (_, index) => `object-${index}`);
    for (const name of names.slice(0, 20)) {
      await harness.create(name);
      await harness.advance(0.5);
    }
    harness.kill(one);
    log.end('one');
    const died = harness.clock.monotonic();
    for (const name of names.slice(20)) {
      await harness.create(name);
      await harness.advance(0.5);
    }
    await harness.advance(20);
    expect(two.state).toBe('running');
    const [first] = log.of('two');
    expect((first.from - died) / 1000).toBeLessThanOrEqual(TAKEOVER);
    expect((first.from - died) / 1000).toBeGreaterThanOrEqual(15 - 2);
    const objects = await Promise.all(names.map((name) => harness.object(name)));
    expect(objects.filter((object) => !isHandled(object))).toEqual([]);
    expect(new Set([...log.objectsOf('one'), ...log.objectsOf('two')])).toEqual(new Set(names));
    expect(log.objectsOf('one').length).toBeGreaterThan(10);
    expect(log.overlaps).toEqual([]);
    expect(one.state).toBe('paused');
  });

  it('should never have two holders at once, however the connections of the holders fail', async () => {
    const away = new Set<string>();
    const intervals: { who: string; from: number; to: number }[] = [];
    const names = ['one', 'two', 'three'];
    for (const name of names) {
      const intercept = () => (away.has(name) ? errorResponse(503, 'ServiceUnavailable', 'away') : undefined);
      const operator = await harness.run(handlersOf(log, name, quick), called(name, { intercept, unready: true }));
      operator.state$.subscribe((state) => {
        const now = harness.clock.monotonic();
        const current = intervals.find(({ who, to }) => who === name && to === Infinity);
        if (state === 'running' && !current) intervals.push({ who: name, from: now, to: Infinity });
        if (state !== 'running' && current) current.to = now;
      });
    }
    const random = new SeededRandom(77);
    for (let round = 0; round < 60; round++) {
      const name = names[Math.floor(random.next() * names.length)];
      if (away.has(name)) away.delete(name);
      else away.add(name);
      await harness.advance(random.next() * 20);
    }
    away.clear();
    await harness.advance(60);
    const clashes = intervals.filter((one) =>
      intervals.some((other) => other !== one && one.from < other.to && other.from < one.to),
    );
    expect(clashes).toEqual([]);
    expect(new Set(intervals.map(({ who }) => who)).size).toBe(3);
    expect(intervals.length).toBeGreaterThan(6);
    expect(intervals.filter(({ to }) => to === Infinity)).toHaveLength(1);
  });

  it('should be lost before others can take it, and be held again when the server is back', async () => {
    let isAway = false;
    const intercept = () => (isAway ? errorResponse(503, 'ServiceUnavailable', 'away') : undefined);
    const one = await harness.run(handlersOf(log, 'one', quick), called('one', { intercept }));
    isAway = true;
    await harness.advance(7.9);
    expect(one.state).toBe('running');
    await harness.advance(2.2);
    expect(one.state).toBe('paused');
    await harness.advance(300);
    isAway = false;
    await harness.create('a');
    await harness.advance(4);
    expect(one.state).toBe('running');
    await harness.advance(60);
    expect(log.objectsOf('one')).toEqual(['a']);
    const lines = harness.logger.messages('warn').filter((line) => line.includes('Lease'));
    expect(lines).toHaveLength(2);
    expect(harness.logger.messages('error')).toEqual([]);
  });

  it('should abort the handlers of one who loses it, and store nothing of them', async () => {
    let isAway = false;
    const aborted: number[] = [];
    const intercept = () => (isAway ? errorResponse(503, 'ServiceUnavailable', 'away') : undefined);
    const work = ({ signal, patch }: ChangeContext): Promise<void> => {
      patch.status.by = 'one';
      signal.addEventListener('abort', () => aborted.push(harness.clock.monotonic()));
      return lasting(harness, 12)();
    };
    const one = await harness.run(handlersOf(log, 'one', work), called('one', { intercept }));
    const two = await harness.run(handlersOf(log, 'two', quick), called('two'));
    await harness.create('a');
    await harness.advance(0.5);
    expect(log.objectsOf('one')).toEqual(['a']);
    isAway = true;
    const began = harness.clock.monotonic();
    await harness.advance(11);
    isAway = false;
    expect(aborted).toHaveLength(1);
    expect((aborted[0] - began) / 1000).toBeLessThanOrEqual(10);
    await harness.advance(20);
    expect([one.state, two.state].sort()).toEqual(['paused', 'running']);
    expect(harness.logger.messages('warn')).toContain(
      '[ns/a] What the handlers did is not stored, as another operator may be at work.',
    );
  });

  it('should be fenced before each cycle, even if no timer has fired', async () => {
    let isAway = false;
    const intercept = () => (isAway ? errorResponse(503, 'ServiceUnavailable', 'away') : undefined);
    let now = 0;
    const clock = Object.create(harness.clock, {
      // The machine was asleep: the time of the day has gone on, and nothing else.
      now: { value: () => harness.clock.now() + now },
    }) as typeof harness.clock;
    await harness.run(handlersOf(log, 'one', quick), called('one', { intercept, clock }));
    await harness.create('a');
    await harness.advance(1);
    isAway = true;
    now = 11_000;
    await harness.create('b');
    await harness.advance(0.5);
    expect(log.objectsOf('one')).toEqual(['a']);
    isAway = false;
    await harness.advance(5);
    expect(log.objectsOf('one')).toEqual(['a', 'b']);
  });

  it('should stop timers while it is not held', async () => {
    const ticks: string[] = [];
    const timerOf = (name: string) => {
      class Operator {
        @Timer(...KEX, { interval: 1 })
        tick() {
          ticks.push(name);
        }
      }
      return Operator;
    };
    await harness.create('a');
    const one = await harness.run(timerOf('one'), called('one'));
    await harness.run(timerOf('two'), called('two'));
    await harness.advance(5);
    expect(new Set(ticks)).toEqual(new Set(['one']));
    await harness.stop(one);
    ticks.length = 0;
    await harness.advance(10);
    expect(new Set(ticks)).toEqual(new Set(['two']));
    expect(ticks.length).toBeGreaterThan(5);
  });

  it('should have the name, the namespace, and the times that it is given', async () => {
    const lease = { name: 'mine', namespace: 'other', leaseDuration: 4.5, renewDeadline: 3, retryPeriod: 1 };
    const one = await harness.run(handlersOf(log, 'one', quick), called('one', { lease }));
    const two = await harness.run(handlersOf(log, 'two', quick), called('two', { lease }));
    const path = `${LEASES.replace('/default/', '/other/')}/mine`;
    expect((await harness.send('GET', path)).spec).toMatchObject({ holderIdentity: 'one', leaseDurationSeconds: 5 });
    harness.kill(one);
    await harness.advance(6.2);
    expect(two.state).toBe('running');
  });

  it('should be possible for others to take away, and to give back', async () => {
    const one = await harness.run(handlersOf(log, 'one', quick), called('one'));
    const renewTime = new Date(harness.clock.now()).toISOString().replace('Z', '000Z');
    await harness.send('PATCH', LEASE, { spec: { holderIdentity: 'somebody', leaseDurationSeconds: 30, renewTime } });
    await harness.advance(2.1);
    expect(one.state).toBe('paused');
    await harness.advance(27);
    expect(one.state).toBe('paused');
    await harness.advance(5);
    expect(one.state).toBe('running');
    expect(await leaseOf(harness)).toMatchObject({ holderIdentity: 'one', leaseTransitions: 1 });
    await harness.send('DELETE', LEASE);
    await harness.advance(5);
    expect(one.state).toBe('running');
    expect(await leaseOf(harness)).toMatchObject({ holderIdentity: 'one' });
  });

  it.each([0.5, 1, 3, 5, 7])(
    'should be kept while the server refuses all credentials for %d seconds',
    async (seconds) => {
      let isRefusing = false;
      const refuse = () => (isRefusing ? errorResponse(401, 'Unauthorized', 'Unauthorized') : undefined);
      const states: string[] = [];
      const one = await harness.run(handlersOf(log, 'one', quick), called('one', { intercept: refuse }));
      await harness.run(handlersOf(log, 'two', quick), called('two'));
      one.state$.subscribe((state) => states.push(state));
      // At each moment of the interval between two renewals.
      for (let burst = 0; burst < 8; burst += 1) {
        await harness.advance(20 + burst / 4);
        isRefusing = true;
        const created = harness.create(`burst-${burst}`);
        await harness.advance(seconds);
        isRefusing = false;
        await created;
        await harness.advance(5);
        expect(isHandled(await harness.object(`burst-${burst}`))).toBe(true);
      }
      expect(new Set(states)).toEqual(new Set(['running']));
      expect(log.objectsOf('two')).toEqual([]);
      expect(await leaseOf(harness)).toMatchObject({ holderIdentity: 'one', leaseTransitions: 0 });
    },
  );

  it.each([-12, -1, 1, 12])(
    'should be judged by what is seen of it: a replica whose clock is off by %d hours',
    async (hours) => {
      const clock = {
        now: () => harness.clock.now() + hours * 3_600_000,
        monotonic: () => harness.clock.monotonic(),
        setTimer: (callback: () => void, milliseconds: number) => harness.clock.setTimer(callback, milliseconds),
      };
      const one = await harness.run(handlersOf(log, 'one', quick), called('one'));
      const two = await harness.run(handlersOf(log, 'two', quick), called('two', { clock }));
      await harness.advance(120);
      expect([one.state, two.state]).toEqual(['running', 'paused']);
      harness.kill(one);
      await harness.advance(TAKEOVER);
      expect(two.state).toBe('running');
      const three = await harness.run(handlersOf(log, 'three', quick), called('three'));
      await harness.advance(120);
      expect([two.state, three.state]).toEqual(['running', 'paused']);
    },
  );

  it('should be kept, however many requests wait for their budget', async () => {
    const networking = { qps: 1, burst: 1 };
    const one = await harness.run(handlersOf(log, 'one', quick), called('one', { networking }));
    for (let index = 0; index < 100; index++) await harness.create(`kex-${index}`);
    for (let second = 0; second < 60; second++) {
      await harness.advance(1);
      expect(one.state).toBe('running');
    }
    expect(harness.logger.messages('warn')).toEqual([]);
    expect(log.objectsOf('one').length).toBeGreaterThan(0);
    expect((await harness.object('kex-99')).metadata.annotations).toBeUndefined();
  });

  it('should keep an operator paused that is not allowed to use it, and say so once', async () => {
    const intercept = ({ path }: KubeRequest) =>
      path.startsWith(LEASES) ? errorResponse(403, 'Forbidden', 'no') : undefined;
    const one = await harness.run(handlersOf(log, 'one', quick), called('one', { intercept }));
    await harness.create('a');
    await harness.advance(100);
    expect([one.state, log.runs.length]).toEqual(['paused', 0]);
    expect(harness.logger.messages('warn')).toHaveLength(1);
  });

  it('should refuse durations that do not fit each other', async () => {
    await expect(harness.run([], called('one', { lease: { renewDeadline: 15 } }))).rejects.toThrow(
      'lease.renewDeadline must be less than leaseDuration',
    );
    await expect(harness.run([], called('one', { lease: { retryPeriod: 10 } }))).rejects.toThrow(
      'lease.retryPeriod must be less than renewDeadline',
    );
  });
});
