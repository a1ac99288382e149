import { Injectable } from '@nestjs/common';
import {
  ActivityError,
  OnCreate,
  OnEvent,
  OnLogin,
  OnStartup,
  OnUpdate,
  PermanentError,
  Timer,
  type ActivityContext,
  type ChangeContext,
  type ConnectionInfo,
  type KopfOperator,
} from 'nestjs-kopf';
import { Calls } from '../../support/operators/calls.js';
import { KEX, OperatorHarness, type OperatorOptions } from '../../support/operators/operator.harness.js';

describe('Startup handlers', () => {
  let harness: OperatorHarness;
  let calls: Calls;
  let requests: string[];

  /** Records all requests of the operator to the API server. */
  const intercept: OperatorOptions['intercept'] = ({ method, path }) => {
    requests.push(`${method} ${path}`);
    return undefined;
  };

  beforeEach(async () => {
    harness = await OperatorHarness.start();
    calls = new Calls();
    requests = [];
  });

  const sleep = (seconds: number): Promise<void> =>
    new Promise((resolve) => void harness.clock.setTimer(resolve, seconds * 1000));

  /** Starts an operator by hand; resolves with the error of its start, if there is one. */
  async function tryToStart(operator: new () => object, options: OperatorOptions = {}): Promise<any> {
    const kopf: KopfOperator = await harness.run(operator, { intercept, ...options, enabled: false, unready: true });
    return harness.clock.runUntil(
      kopf.start().then(
        () => undefined,
        (error: unknown) => error,
      ),
    );
  }

  it('should all succeed before the API server is talked to for the first time', async () => {
    const before: number[] = [];
    class Operator {
      @OnStartup()
      async quick() {
        before.push(requests.length);
      }
      @OnStartup()
      async slow() {
        await sleep(3600);
        before.push(requests.length);
      }
      @OnEvent(...KEX)
      event() {}
    }
    await harness.run(Operator, { intercept });
    expect(before).toEqual([0, 0]);
    expect(requests.length).toBeGreaterThan(0);
  });

  it('should be called before the login', async () => {
    const order: string[] = [];
    class Operator {
      @OnLogin()
      login(): ConnectionInfo {
        order.push('login');
        return { server: 'http://embedded', transport: harness.kube.transport() } as never;
      }
      @OnStartup()
      async begin() {
        await sleep(5);
        order.push('startup');
      }
    }
    await harness.run(Operator, { credentials: undefined });
    expect(order).toEqual(['startup', 'login']);
  });

  it('should be able to make what lives on the event loop, for all other handlers of the application', async () => {
    @Injectable()
    class Operator {
      private lock?: Promise<void>;

      @OnStartup()
      begin() {
        this.lock = sleep(1);
      }
      @OnCreate(...KEX)
      async create(context: ChangeContext) {
        await this.lock;
        calls.add('create', context);
      }
    }
    await harness.run(Operator);
    await harness.create('a');
    await harness.advance(2);
    expect(calls.ids).toEqual(['create']);
  });

  it('should keep the operator from starting, without a single request, if one of them fails', async () => {
    class Operator {
      @OnStartup()
      good() {}
      @OnStartup()
      bad() {
        throw new PermanentError('There is no licence.');
      }
      @OnEvent(...KEX)
      event() {
        calls.all.push({ id: 'event', retry: 0 });
      }
    }
    await harness.create('a');
    const error = await tryToStart(Operator);
    expect(error).toBeInstanceOf(ActivityError);
    expect(error.message).toContain('Operator.bad: There is no licence.');
    await harness.advance(600);
    expect([requests, calls.ids]).toEqual([[], []]);
  });

  it('should be retried without a limit, unless they have one', async () => {
    let attempts = 0;
    class Operator {
      @OnStartup({ backoff: 60 })
      begin() {
        if (++attempts < 1000) throw new Error('not yet');
      }
    }
    expect(await tryToStart(Operator)).toBeUndefined();
    expect(attempts).toBe(1000);
  });

  it.each([
    ['retries', { retries: 3, backoff: 1 }, 3],
    ['a timeout', { timeout: 10, backoff: 4 }, 3],
  ])('should be limited by %s of their own', async (_what, options, expected) => {
    let attempts = 0;
    class Operator {
      @OnStartup(options)
      begin() {
        attempts++;
        throw new Error('never');
      }
    }
    expect(await tryToStart(Operator)).toBeInstanceOf(ActivityError);
    expect([attempts, requests]).toEqual([expected, []]);
  });

  it('should be retried one by one: those that have succeeded are not called again', async () => {
    const order: string[] = [];
    class Operator {
      @OnStartup()
      good() {
        order.push('good');
      }
      @OnStartup({ backoff: 1 })
      bad({ retry }: ActivityContext) {
        order.push(`bad ${retry}`);
        if (retry < 2) throw new Error('not yet');
      }
    }
    expect(await tryToStart(Operator)).toBeUndefined();
    expect(order).toEqual(['good', 'bad 0', 'bad 1', 'bad 2']);
  });

  describe('that change settings', () => {
    it('should change them for all that follows', async () => {
      class Operator {
        @OnStartup()
        configure({ settings }: ActivityContext) {
          settings.persistence.finalizer = 'example.com/finalizer';
          settings.execution.defaultBackoff = 7;
          settings.watching.pageSize = 1;
        }
        @OnCreate(...KEX)
        create(context: ChangeContext) {
          calls.add('create', context);
          if (context.retry === 0) throw new Error('once');
        }
        @Timer(...KEX, { interval: 60 })
        tick() {}
      }
      for (const name of ['a', 'b']) await harness.create(name);
      await harness.run(Operator, { intercept });
      await harness.advance(6);
      expect(calls.ids).toEqual(['create', 'create']);
      await harness.advance(2);
      expect(calls.ids).toEqual(['create', 'create', 'create', 'create']);
      expect((await harness.object('a')).metadata.finalizers).toEqual(['example.com/finalizer']);
      expect(requests.filter((request) => request.includes('kopfexamples?limit=1'))).toHaveLength(2);
    });

    it('should fail the start with one message that names each bad value, before any request', async () => {
      class Operator {
        @OnStartup()
        configure({ settings }: ActivityContext) {
          settings.watching.pageSize = -1;
          settings.queueing.exitTimeout = 'soon' as never;
          settings.lease.renewDeadline = 3600;
          settings.admission.server = {} as never;
        }
        @OnUpdate(...KEX)
        update() {}
      }
      const error = await tryToStart(Operator);
      expect(error).toMatchObject({ name: 'KopfOptionsError', code: 'KOPF_OPTIONS' });
      expect(error.violations).toHaveLength(4);
      for (const name of ['watching.pageSize', 'queueing.exitTimeout', 'lease.renewDeadline', 'admission.server']) {
        expect(error.message).toContain(name);
      }
      expect(requests).toEqual([]);
    });

    it('should fail the start of the application if it is the one that starts the operator', async () => {
      class Operator {
        @OnStartup()
        configure({ settings }: ActivityContext) {
          settings.posting.level = 'loud' as never;
        }
      }
      await expect(harness.run(Operator, { required: true })).rejects.toThrow(/posting\.level/);
    });

    it('should let the operator start again once they are right', async () => {
      let pageSize = -1;
      class Operator {
        @OnStartup()
        configure({ settings }: ActivityContext) {
          settings.watching.pageSize = pageSize;
        }
        @OnEvent(...KEX)
        event() {}
      }
      const operator = await harness.run(Operator, { enabled: false, unready: true });
      await expect(harness.clock.runUntil(operator.start())).rejects.toThrow(/watching\.pageSize/);
      expect(operator.state).toBe('failed');
      pageSize = 10;
      await harness.clock.runUntil(operator.start());
      await harness.clock.runUntil(operator.ready());
      expect(operator.state).toBe('running');
    });
  });
});
