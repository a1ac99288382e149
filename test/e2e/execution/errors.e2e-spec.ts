import { OnCreate, OnUpdate, PermanentError, TemporaryError, type ChangeContext } from 'nestjs-kopf';
import type { ErrorsMode } from 'nestjs-kopf/decorators';
import { KEX, OperatorHarness } from '../../support/operators/operator.harness.js';

/** When the handler was called, in seconds since the creation, and what it throws then. */
async function attempts(
  options: object,
  fail: (context: ChangeContext) => unknown,
  seconds: number,
  moduleOptions = {},
): Promise<{ times: number[]; harness: OperatorHarness }> {
  const times: number[] = [];
  const harness = await OperatorHarness.start();
  let start = 0;
  class Operator {
    @OnCreate(...KEX, options)
    create(context: ChangeContext) {
      times.push(Math.round((harness.clock.monotonic() - start) / 1000));
      return fail(context);
    }
  }
  await harness.run(Operator, moduleOptions);
  start = harness.clock.monotonic();
  await harness.create('a');
  await harness.advance(seconds);
  return { times, harness };
}

async function record(harness: OperatorHarness): Promise<Record<string, unknown>> {
  return JSON.parse((await harness.object('a')).metadata.annotations!['kopf.zalando.org/create']);
}

describe('Temporary errors', () => {
  it('should postpone the handler by their delay, without holding up other handlers', async () => {
    const calls: string[] = [];
    class Operator {
      @OnCreate(...KEX)
      slow({ retry }: ChangeContext) {
        calls.push(`slow ${retry}`);
        if (retry < 2) throw new TemporaryError('The data is not yet ready.', { delay: 30 });
      }
      @OnCreate(...KEX)
      fast({ retry }: ChangeContext) {
        calls.push(`fast ${retry}`);
      }
    }
    const harness = await OperatorHarness.start();
    await harness.run(Operator);
    await harness.create('a');
    await harness.advance(29);
    expect(calls).toEqual(['slow 0', 'fast 0']);
    await harness.advance(30);
    expect(calls).toEqual(['slow 0', 'fast 0', 'slow 1']);
    await harness.advance(30);
    expect(calls).toEqual(['slow 0', 'fast 0', 'slow 1', 'slow 2']);
  });

  it('should be retried after 60 seconds if they say nothing else, whatever the backoff', async () => {
    const fail = () => {
      throw new TemporaryError('wait');
    };
    const { times, harness } = await attempts({ backoff: 5 }, fail, 121);
    expect(times).toEqual([0, 60, 120]);
    expect(harness.logger.messages('error')[0]).toBe("[ns/a] Handler 'create' failed temporarily: wait");
    expect(harness.logger.lines.filter(({ error }) => error !== undefined)).toEqual([]);
    expect(await record(harness)).toMatchObject({ retries: 3, success: false, failure: false, message: 'wait' });
  });

  it('should be retried after hours, with a sign of life every ten minutes', async () => {
    const fail = ({ retry }: ChangeContext) => {
      if (retry === 0) throw new TemporaryError('wait', { delay: 3600 });
    };
    const { times, harness } = await attempts({}, fail, 3601);
    expect(times).toEqual([0, 3600]);
    const touches = harness.patchesOf('a').filter(({ body }) => JSON.stringify(body).includes('touch-dummy":"'));
    expect(touches).toHaveLength(6);
  });

  it.each([
    ['is no number, after the backoff', Number('soon'), [0, 7, 14]],
    ['is a text with a number, after it', '8' as unknown as number, [0, 8, 16]],
    ['is over, at once', -5, [0, 0, 0]],
    ['is null, at once', null, [0, 0, 0]],
    ['never ends, not at all', Infinity, [0]],
    ['is longer than what can be stored, not at all', 1e15, [0]],
  ])('should be retried if their delay %s', async (_, delay, expected) => {
    const fail = ({ retry }: ChangeContext) => {
      if (retry < 2) throw new TemporaryError('wait', { delay });
    };
    const { times, harness } = await attempts({ backoff: 7 }, fail, 20);
    expect(times).toEqual(expected);
    if (expected.length > 1) expect(await harness.marks('a')).toEqual(['kopf.zalando.org/last-handled-configuration']);
    else expect(await record(harness)).toMatchObject({ retries: 1, delayed: '9999-12-31T00:00:00.000000+00:00' });
  });
});

describe('Permanent errors', () => {
  it('should end the handler, and be logged in a line', async () => {
    const fail = () => {
      throw new PermanentError('The object is not valid anymore.');
    };
    const { times, harness } = await attempts({}, fail, 3600);
    expect(times).toEqual([0]);
    expect(harness.logger.lines.filter(({ level }) => level === 'error')).toMatchObject([
      {
        level: 'error',
        message: "[ns/a] Handler 'create' failed permanently: The object is not valid anymore.",
        error: undefined,
      },
    ]);
    expect(harness.logger.messages('log')).toContain('[ns/a] Creation is processed: 0 succeeded; 1 failed.');
  });
});

describe('Arbitrary errors', () => {
  it.each<[ErrorsMode | undefined, number[], string]>([
    [undefined, [0, 60, 120], 'will try again in 60 seconds: boom'],
    ['temporary', [0, 60, 120], 'will try again in 60 seconds: boom'],
    ['permanent', [0], 'will stop now: boom'],
    ['ignored', [0], 'will ignore it: boom'],
  ])('should be treated as the handler says: errors=%s', async (errors, expected, text) => {
    const fail = () => {
      throw new Error('boom');
    };
    const { times, harness } = await attempts({ errors }, fail, 121);
    expect(times).toEqual(expected);
    const [line] = harness.logger.lines.filter(({ level }) => level === 'error');
    expect(line.message).toBe(`[ns/a] Handler 'create' failed with an exception and ${text}`);
    expect((line.error as Error).stack).toContain('errors.e2e-spec');
  });

  it.each([
    ['the handler', { backoff: 7 }, {}, [0, 7, 14]],
    ['the settings', {}, { execution: { defaultBackoff: 9 } }, [0, 9, 18]],
    ['the handler before the settings', { backoff: 7 }, { execution: { defaultBackoff: 9 } }, [0, 7, 14]],
    ['the handler, even if there is none', { backoff: 0, retries: 3 }, {}, [0, 0, 0]],
  ])('should be retried after the backoff of %s', async (_, options, settings, expected) => {
    const fail = () => {
      throw new Error('boom');
    };
    expect((await attempts(options, fail, 20, settings)).times).toEqual(expected);
  });

  it('should be understood whatever is thrown', async () => {
    const thrown: unknown[] = [
      'text',
      undefined,
      null,
      42,
      { some: 'object' },
      Symbol('sign'),
      new Error(''),
      Object.freeze(new Error('x')),
      Object.assign(new Error(), { message: { code: 1 } }),
      Object.assign(new Error(), { message: Symbol('sign') }),
    ];
    const fail = ({ retry }: ChangeContext) => {
      if (retry < thrown.length) throw thrown[retry];
      return 'done';
    };
    const { times, harness } = await attempts({ backoff: 1 }, fail, 60);
    expect(times).toHaveLength(thrown.length + 1);
    expect((await harness.object('a')).status).toEqual({ create: 'done' });
    expect(harness.logger.messages('error').join()).not.toContain('Throttling');
  });
});

describe('Retries', () => {
  it.each([
    ['temporary', () => new TemporaryError('wait', { delay: 1 }), 'will exceed 3 retries: wait'],
    ['arbitrary', () => new Error('wait'), 'will stop now (it would exceed 3 retries on the next attempt): wait'],
  ])('should be limited for %s errors, and known to be over without another attempt', async (_, makeError, text) => {
    const seen: number[] = [];
    const fail = ({ retry }: ChangeContext) => {
      seen.push(retry);
      throw makeError();
    };
    const { harness } = await attempts({ retries: 3, backoff: 1 }, fail, 60);
    expect(seen).toEqual([0, 1, 2]);
    expect(harness.logger.messages('error').at(-1)).toContain(text);
    expect(harness.logger.messages('log')).toContain('[ns/a] Creation is processed: 0 succeeded; 1 failed.');
  });
});

describe('Timeouts', () => {
  it('should limit all attempts together, and be known to be over without another attempt', async () => {
    const fail = () => {
      throw new TemporaryError('wait', { delay: 20 });
    };
    const { times, harness } = await attempts({ timeout: 60 }, fail, 600);
    expect(times).toEqual([0, 20, 40]);
    expect(harness.logger.messages('error').at(-1)).toContain(
      'failed temporarily but will time out after 60 seconds: wait',
    );
  });

  it('should abort the signal of a running handler, fail it, and ignore its late result with a warning', async () => {
    let reason: unknown;
    const run = ({ signal, patch }: ChangeContext) =>
      new Promise((resolve) => {
        signal.addEventListener('abort', () => {
          ({ reason } = signal);
          setImmediate(() => {
            patch.spec.late = true;
            resolve('late');
          });
        });
      });
    const { times, harness } = await attempts({ timeout: 30 }, run, 29);
    expect(reason).toBeUndefined();
    await harness.advance(600);
    expect(times).toEqual([0]);
    expect(reason).toMatchObject({ code: 'KOPF_HANDLER_TIMEOUT' });
    expect(harness.logger.messages('error')).toEqual(["[ns/a] Handler 'create' has timed out after 30 seconds."]);
    expect(harness.logger.messages('warn')).toEqual([
      "[ns/a] Handler 'create' has returned after its timeout; it is ignored.",
    ]);
    const { spec, status, metadata } = await harness.object('a');
    expect(spec).toEqual({ field: 'v1' });
    expect(status).toBeUndefined();
    expect(Object.keys(metadata.annotations!)).toEqual(['kopf.zalando.org/last-handled-configuration']);
  });

  it('should give a later attempt only what is left', async () => {
    const fail = ({ retry, signal }: ChangeContext) => {
      if (retry === 0) throw new TemporaryError('wait', { delay: 20 });
      return new Promise((_resolve, reject) => signal.addEventListener('abort', () => reject(signal.reason as Error)));
    };
    const { harness } = await attempts({ timeout: 30 }, fail, 29);
    expect(harness.logger.messages('log')).not.toContain('[ns/a] Creation is processed: 0 succeeded; 1 failed.');
    await harness.advance(2);
    expect(harness.logger.messages('log')).toContain('[ns/a] Creation is processed: 0 succeeded; 1 failed.');
    expect(harness.logger.messages('warn')).toEqual([
      "[ns/a] Handler 'create' has failed after its timeout; it is ignored.",
    ]);
  });

  it('should be checked before an attempt, if the operator was away', async () => {
    const calls: number[] = [];
    class Operator {
      @OnCreate(...KEX, { timeout: 60 })
      create({ retry }: ChangeContext) {
        calls.push(retry);
        throw new TemporaryError('wait', { delay: 10 });
      }
    }
    const harness = await OperatorHarness.start();
    await harness.run(Operator);
    await harness.create('a');
    await harness.advance(5);
    await harness.stop();
    await harness.advance(120);
    await harness.run(Operator);
    await harness.advance(60);
    expect(calls).toEqual([0]);
    expect(harness.logger.messages('error').at(-1)).toMatch(/has timed out after 0:02:0\d(\.\d{6})?\.$/);
  });
});

describe('Errors of handlers of updates', () => {
  it('should not be remembered beyond the change in which they happened', async () => {
    const seen: unknown[] = [];
    class Operator {
      @OnCreate(...KEX)
      create() {}
      @OnUpdate(...KEX, { retries: 2, backoff: 1 })
      update({ retry, spec }: ChangeContext) {
        seen.push([spec.field, retry]);
        throw new Error('boom');
      }
    }
    const harness = await OperatorHarness.start();
    await harness.run(Operator);
    await harness.create('a');
    await harness.advance(5);
    await harness.patch('a', { spec: { field: 'v2' } });
    await harness.advance(60);
    await harness.patch('a', { spec: { field: 'v3' } });
    await harness.advance(60);
    expect(seen).toEqual([
      ['v2', 0],
      ['v2', 1],
      ['v3', 0],
      ['v3', 1],
    ]);
  });
});
