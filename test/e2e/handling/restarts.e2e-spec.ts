import {
  KopfOperator,
  OnCleanup,
  OnCreate,
  OnDelete,
  OnResume,
  OnStartup,
  OnUpdate,
  TemporaryError,
  type ActivityContext,
  type ChangeContext,
} from 'nestjs-kopf';
import { Calls } from '../../support/operators/calls.js';
import { KEX, OperatorHarness } from '../../support/operators/operator.harness.js';

const LAST_HANDLED = 'kopf.zalando.org/last-handled-configuration';

function full(calls: Calls) {
  class Full {
    @OnCreate(...KEX)
    create(context: ChangeContext) {
      calls.add('create', context);
    }
    @OnUpdate(...KEX)
    update(context: ChangeContext) {
      calls.add('update', context);
    }
    @OnDelete(...KEX)
    remove(context: ChangeContext) {
      calls.add('delete', context);
    }
  }
  return Full;
}

const named = (calls: Calls): string[] => calls.all.splice(0).map(({ id, name }) => `${id} ${name}`);

describe('A downtime', () => {
  it('should be made up for: what was changed, created, and deleted is handled once, and nothing else', async () => {
    const calls = new Calls();
    const harness = await OperatorHarness.start();
    await harness.run(full(calls));
    for (const name of ['changed', 'deleted', 'kept-1', 'kept-2']) await harness.create(name);
    await harness.advance(60);
    expect(named(calls)).toHaveLength(4);
    await harness.stop();
    await harness.patch('changed', { spec: { field: 'v2' } });
    await harness.patch('changed', { spec: { field: 'v3' } });
    await harness.create('created');
    await harness.delete('deleted');
    const versions = async () =>
      Promise.all(['kept-1', 'kept-2'].map(async (name) => (await harness.object(name)).metadata.resourceVersion));
    const before = await versions();
    await harness.run(full(calls));
    await harness.advance(600);
    expect(named(calls).toSorted()).toEqual(['create created', 'delete deleted', 'update changed']);
    expect(await versions()).toEqual(before);
    expect(await harness.read('deleted')).toBeUndefined();
  });

  it('should make one change of several ones', async () => {
    const diffs: unknown[] = [];
    class Operator {
      @OnUpdate(...KEX)
      update({ diff }: ChangeContext) {
        diffs.push(diff);
      }
    }
    const harness = await OperatorHarness.start();
    await harness.run(Operator);
    await harness.create('a');
    await harness.advance(5);
    await harness.stop();
    await harness.patch('a', { spec: { field: 'v2', passing: 1 } });
    await harness.patch('a', { spec: { field: 'v3', passing: null } });
    await harness.run(Operator);
    await harness.advance(5);
    expect(diffs).toEqual([[['change', ['spec', 'field'], 'v1', 'v3']]]);
  });

  it('should not repeat what had succeeded, and go on with what waited for its time', async () => {
    const calls = new Calls();
    class Operator {
      @OnCreate(...KEX)
      done(context: ChangeContext) {
        calls.add('done', context);
      }
      @OnCreate(...KEX)
      waiting(context: ChangeContext) {
        calls.add('waiting', context);
        if (context.retry === 0) throw new TemporaryError('wait', { delay: 100 });
      }
    }
    const harness = await OperatorHarness.start();
    await harness.run(Operator);
    await harness.create('a');
    await harness.advance(10);
    expect(calls.take()).toEqual(['done', 'waiting']);
    await harness.stop();
    await harness.run(Operator);
    await harness.advance(80);
    expect(calls.take()).toEqual([]);
    await harness.advance(20);
    expect(calls.all).toEqual([{ id: 'waiting', name: 'a', reason: 'create', retry: 1 }]);
    expect(await harness.marks('a')).toEqual([LAST_HANDLED]);
  });
});

describe('A crash', () => {
  it('should make the handler that was running run again, and only this one', async () => {
    const calls = new Calls();
    class Operator {
      @OnCreate(...KEX)
      first(context: ChangeContext) {
        calls.add('first', context);
        return 'done';
      }
      @OnCreate(...KEX)
      second(context: ChangeContext) {
        calls.add('second', context);
        // The first process dies in the middle of it.
        return calls.count('second') > 1 ? 'done' : new Promise(() => undefined);
      }
    }
    const harness = await OperatorHarness.start();
    await harness.run(Operator);
    await harness.create('a');
    await harness.advance(10);
    expect(calls.take()).toEqual(['first', 'second']);
    calls.add('second', { retry: 0 });
    harness.kill();
    await harness.run(Operator);
    await harness.advance(60);
    expect(calls.ids.slice(1)).toEqual(['second']);
    const { status } = await harness.object('a');
    expect(status).toEqual({ first: 'done', second: 'done' });
    expect(await harness.marks('a')).toEqual([LAST_HANDLED]);
  });

  it('should make a deletion run again, and the object go in the end', async () => {
    let calls = 0;
    class Operator {
      @OnDelete(...KEX)
      remove() {
        return ++calls > 1 ? undefined : new Promise(() => undefined);
      }
    }
    const harness = await OperatorHarness.start();
    await harness.run(Operator);
    await harness.create('a');
    await harness.advance(5);
    await harness.delete('a');
    await harness.advance(5);
    harness.kill();
    await harness.run(Operator);
    await harness.advance(60);
    expect(calls).toBe(2);
    expect(await harness.read('a')).toBeUndefined();
  });
});

describe('A stop', () => {
  it('should wait for the handlers in progress, and store what they did', async () => {
    const harness = await OperatorHarness.start();
    const started: string[] = [];
    class Operator {
      @OnCreate(...KEX)
      async create({ name }: ChangeContext) {
        started.push(name);
        await new Promise<void>((resolve) => harness.clock.setTimer(resolve, 1500));
        return 'done';
      }
    }
    await harness.run(Operator);
    await harness.create('a');
    await harness.advance(0);
    expect(started).toEqual(['a']);
    await harness.stop();
    expect((await harness.object('a')).status).toEqual({ create: 'done' });
    expect(harness.logger.messages('warn')).toEqual([]);
  });

  it('should not wait for ever: the signal is aborted, and what is done later is not stored', async () => {
    const harness = await OperatorHarness.start();
    let aborted = false;
    class Operator {
      @OnCreate(...KEX)
      async create({ signal }: ChangeContext) {
        await new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve()));
        aborted = true;
        await new Promise<void>((resolve) => harness.clock.setTimer(resolve, 100));
        return 'late';
      }
    }
    await harness.run(Operator);
    await harness.create('a');
    await harness.advance(0);
    const begin = harness.clock.monotonic();
    await harness.stop();
    expect(harness.clock.monotonic() - begin).toBe(2000);
    expect(aborted).toBe(true);
    await harness.advance(60);
    expect((await harness.object('a')).status).toBeUndefined();
    expect(harness.logger.messages('warn')).toEqual([
      'Some handlers are still running; they are not waited for any longer.',
      '[ns/a] What the handlers did is not stored, as the operator has stopped meanwhile.',
    ]);
  });

  it('should end the waiting for delayed handlers at once', async () => {
    class Operator {
      @OnCreate(...KEX)
      create() {
        throw new TemporaryError('wait', { delay: 600 });
      }
    }
    const harness = await OperatorHarness.start();
    await harness.run(Operator);
    await harness.create('a');
    await harness.advance(5);
    const begin = harness.clock.monotonic();
    await harness.stop();
    expect(harness.clock.monotonic() - begin).toBe(0);
    expect(harness.clock.pending).toBe(0);
  });

  it('should run the cleanup handlers after the last handler, and log their errors', async () => {
    const calls = new Calls();
    const harness = await OperatorHarness.start();
    class Operator {
      @OnCreate(...KEX)
      async create(context: ChangeContext) {
        await new Promise<void>((resolve) => harness.clock.setTimer(resolve, 500));
        calls.add('create', context);
      }
      @OnCleanup({ retries: 2, backoff: 1 })
      close(context: ActivityContext) {
        calls.add('close', context);
        throw new Error('no way');
      }
    }
    await harness.run(Operator);
    await harness.create('a');
    await harness.advance(0);
    await harness.stop();
    expect(calls.ids).toEqual(['create', 'close', 'close']);
    expect(harness.logger.messages('error').at(-1)).toContain("The operator's cleanup has failed: Operator.close");
  });

  it('should let the same operator be started again', async () => {
    const calls = new Calls();
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
    }
    const harness = await OperatorHarness.start();
    const operator = await harness.run(Operator, { enabled: false, unready: true });
    expect(operator.state).toBe('idle');
    await harness.create('a');
    await harness.advance(5);
    expect(calls.ids).toEqual([]);
    await harness.clock.runUntil(operator.start());
    await harness.clock.runUntil(operator.ready());
    await harness.advance(5);
    await harness.clock.runUntil(operator.stop());
    expect(operator.state).toBe('stopped');
    expect(operator.objects).toBe(0);
    await harness.create('b');
    await harness.clock.runUntil(operator.start());
    await harness.clock.runUntil(operator.ready());
    await harness.advance(5);
    expect(calls.ids).toEqual(['startup', 'create', 'startup', 'resume', 'create']);
    expect(harness.get(KopfOperator).state).toBe('running');
  });
});
