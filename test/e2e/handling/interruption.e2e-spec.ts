import {
  KubeClient,
  OnCreate,
  OnDelete,
  OnField,
  OnUpdate,
  Timer,
  type ChangeContext,
  type DaemonContext,
} from 'nestjs-kopf';
import type { CreateOptions } from 'nestjs-kopf/decorators';
import { setTimeout as sleepReally } from 'node:timers/promises';
import { KEX, OperatorHarness } from '../../support/operators/operator.harness.js';
import { failOnUnhandledRejections } from '../../support/runner/unhandled.rejections.js';

describe('The signal of a running handler', () => {
  failOnUnhandledRejections();
  let harness: OperatorHarness;
  const calls: string[] = [];

  /** Works until the signal is aborted, or for a while. */
  const work = (signal: AbortSignal, seconds = 100): Promise<void> =>
    new Promise((resolve, reject) => {
      const timer = harness.clock.setTimer(resolve, seconds * 1000);
      const stop = (): void => {
        timer.cancel();
        reject(signal.reason as Error);
      };
      if (signal.aborted) stop();
      else signal.addEventListener('abort', stop, { once: true });
    });

  async function run({ name, spec, retry, reason, signal }: ChangeContext): Promise<void> {
    calls.push(`${reason} ${name} ${spec.field} ${retry}`);
    try {
      await work(signal);
      calls.push(`${name} done`);
    } catch (error) {
      calls.push(`${name}: ${(error as Error).message}`);
      throw error;
    }
  }

  function operator(options: CreateOptions) {
    class Operator {
      @OnCreate(...KEX, options)
      create(context: ChangeContext) {
        return run(context);
      }
      @OnDelete(...KEX)
      remove({ name }: ChangeContext) {
        calls.push(`removes ${name}`);
      }
    }
    return Operator;
  }

  beforeEach(async () => {
    calls.length = 0;
    harness = await OperatorHarness.start({ statusSubresource: true });
  });

  it.each(['deletion', 'change'] as const)(
    'should be aborted by the deletion of its object, with %s',
    async (abortOn) => {
      await harness.run(operator({ abortOn }));
      await harness.create('a');
      await harness.advance(5);
      await harness.delete('a');
      await harness.advance(1);
      expect(calls).toEqual(['create a v1 0', 'a: The object is being deleted.', 'removes a']);
      expect(await harness.read('a')).toBeUndefined();
    },
  );

  it('should be aborted by a change, and the handler be called at once for the new state', async () => {
    await harness.run(operator({ abortOn: 'change' }));
    await harness.create('a');
    await harness.advance(5);
    await harness.patch('a', { spec: { field: 'v2' } });
    await harness.advance(1);
    expect(calls).toEqual(['create a v1 0', 'a: The object has changed.', 'create a v2 1']);
    await harness.advance(100);
    expect(calls.slice(3)).toEqual(['a done']);
    expect(harness.logger.messages('error')).toEqual([
      "[ns/a] Handler 'create' failed temporarily: The object has changed.",
    ]);
  });

  it.each<CreateOptions>([{}, { abortOn: 'deletion' }])(
    'should not be aborted by a change with %j',
    async (options) => {
      await harness.run(operator(options));
      await harness.create('a');
      await harness.advance(5);
      await harness.patch('a', { spec: { field: 'v2' } });
      await harness.advance(200);
      expect(calls).toEqual(['create a v1 0', 'a done']);
    },
  );

  it('should not be aborted by a deletion without the option', async () => {
    await harness.run(operator({}));
    await harness.create('a');
    await harness.advance(5);
    await harness.delete('a');
    await harness.advance(200);
    expect(calls).toEqual(['create a v1 0', 'a done', 'removes a']);
  });

  it('should not be aborted by what is no change: the status, and what others keep there', async () => {
    await harness.run(operator({ abortOn: 'change' }));
    await harness.create('a');
    await harness.advance(5);
    await harness.patch('a', { status: { phase: 'Busy' } }, 'status');
    await harness.patch('a', { metadata: { annotations: { 'kopf.zalando.org/other': '{}' }, finalizers: null } });
    await harness.advance(200);
    expect(calls).toEqual(['create a v1 0', 'a done']);
  });

  it('should not be aborted by the state of another operator, where the status counts', async () => {
    class Operator extends operator({ abortOn: 'change' }) {
      @OnField(...KEX, { field: 'status' })
      follow() {}
    }
    await harness.run(Operator);
    await harness.create('a');
    await harness.advance(5);
    const record = {
      started: '2021-01-01T00:00:00.000000+00:00',
      purpose: 'create',
      retries: 1,
      success: false,
      failure: false,
    };
    await harness.patch('a', { status: { another: { progress: { create: record } } } }, 'status');
    await harness.advance(200);
    expect(calls).toContain('a done');
    expect(calls.filter((call) => call.startsWith('create a'))).toEqual(['create a v1 0']);
  });

  it("should not be aborted by the operator's own patches", async () => {
    let ticks = 0;
    class Timers {
      @Timer(...KEX, { interval: 10 })
      tick({ patch }: DaemonContext) {
        patch.spec.ticks = ++ticks;
        patch.status.ticks = ticks;
      }
    }
    class Patching {
      @OnCreate(...KEX)
      first({ patch }: ChangeContext) {
        patch.spec.first = true;
        patch.metadata.labels.first = 'yes';
      }
      @OnCreate(...KEX, { id: 'second', abortOn: 'change' })
      second(context: ChangeContext) {
        return run(context);
      }
    }
    let isLate = false;
    await harness.run([Timers, Patching], {
      intercept: async ({ method }) => {
        if (isLate && method === 'PATCH') await new Promise<void>((resolve) => harness.clock.setTimer(resolve, 3000));
        return undefined;
      },
    });
    await harness.create('a');
    await harness.advance(5);
    isLate = true;
    await harness.advance(80);
    expect(calls).toEqual(['create a v1 0']);
    expect((await harness.object('a')).spec?.ticks).toBeGreaterThan(3);
    await harness.patch('a', { spec: { field: 'v2' } });
    await harness.advance(3);
    expect(calls.slice(1, 2)).toEqual(['a: The object has changed.']);
  });

  it('should be aborted by a change of its field only', async () => {
    class Operator {
      @OnField(...KEX, { field: 'spec.field', abortOn: 'change' })
      follow(context: ChangeContext) {
        return run(context);
      }
    }
    await harness.run(Operator);
    await harness.create('a');
    await harness.advance(5);
    await harness.patch('a', { spec: { other: 1 } });
    await harness.advance(1);
    expect(calls).toEqual(['create a v1 0']);
    await harness.patch('a', { spec: { field: 'v2' } });
    await harness.advance(1);
    expect(calls).toEqual(['create a v1 0', 'a: The object has changed.', 'create a v2 1']);
  });

  it('should be aborted at once if the change waits already, and reach sub-handlers', async () => {
    class Operator {
      @OnCreate(...KEX, { id: 'slow' })
      async slow() {
        calls.push('slow');
        await work(new AbortController().signal, 10);
      }
      @OnCreate(...KEX, { abortOn: 'change' })
      async parent({ execute, spec }: ChangeContext) {
        await execute({
          child: async ({ signal }: ChangeContext) => {
            calls.push(`child ${spec.field} ${signal.aborted}`);
            await work(signal);
          },
        });
      }
    }
    await harness.run(Operator, { lifecycle: (handlers) => [...handlers] });
    await harness.create('a');
    await harness.advance(5);
    await harness.patch('a', { spec: { field: 'v2' } });
    await harness.advance(8);
    expect(calls).toEqual(['slow', 'child v2 false']);
    await harness.patch('a', { spec: { field: 'v3' } });
    await harness.advance(1);
    expect(calls.slice(2)).toEqual(['child v3 false']);
  });

  it('should give the reason to what throws an error of its own for aborted signals', async () => {
    let aborted = 0;
    class Operator {
      @OnUpdate(...KEX, { abortOn: 'change' })
      async update({ signal, spec }: ChangeContext) {
        calls.push(`update ${spec.field}`);
        if (spec.field === 'v3') return;
        try {
          await sleepReally(60_000, undefined, { signal });
        } catch (error) {
          aborted++;
          expect(error).toMatchObject({ name: 'AbortError' });
          throw error;
        }
      }
    }
    await harness.run(Operator);
    await harness.create('a');
    await harness.advance(1);
    await harness.patch('a', { spec: { field: 'v2' } });
    await harness.advance(1);
    await harness.patch('a', { spec: { field: 'v3' } });
    await harness.advance(1);
    expect({ calls, aborted }).toEqual({ calls: ['update v2', 'update v3'], aborted: 1 });
  });

  it('should count what a handler does by a client as a change, and leave a success a success', async () => {
    class Operator {
      constructor(private readonly client: KubeClient) {}
      static readonly inject = [KubeClient];
      @OnCreate(...KEX, { abortOn: 'change' })
      async create({ name, signal, logger }: ChangeContext) {
        await this.client.patch('kopfexamples.kopf.dev', name, { spec: { mine: 1 } }, { namespace: 'ns' });
        await new Promise<void>((resolve) => harness.clock.setTimer(resolve, 1000));
        calls.push(`${name} ${signal.aborted}`);
        logger.log('It is done.');
      }
    }
    await harness.run([
      { provide: Operator, useFactory: (client: KubeClient) => new Operator(client), inject: [KubeClient] },
    ]);
    await harness.create('a');
    await harness.advance(100);
    expect(calls).toEqual(['a true']);
  });

  it('should be refused for other values', async () => {
    await expect(harness.run(operator({ abortOn: 'always' as never }))).rejects.toThrow(
      "Operator.create (@OnCreate): option 'abortOn' must be 'deletion' or 'change'",
    );
  });
});
