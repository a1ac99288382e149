import {
  Daemon,
  lifecycles,
  OnCreate,
  OnDelete,
  OnEvent,
  OnUpdate,
  PermanentError,
  TemporaryError,
  Timer,
  type ChangeContext,
  type DaemonContext,
  type EventContext,
  type TimerContext,
} from 'nestjs-kopf';
import { KEX, OperatorHarness, errorResponse } from '../../support/operators/operator.harness.js';

const EXAMPLES = { resource: 'kopfexamples.kopf.dev' };
const LAST_HANDLED = 'kopf.zalando.org/last-handled-configuration';

/** A step of a handler that a test ends. */
class Gate {
  readonly opened: Promise<void>;
  open: () => void;

  constructor() {
    this.opened = new Promise((resolve) => (this.open = resolve));
  }
}

describe('Another object of the same name', () => {
  it.each([false, true])(
    'should not get what was meant for the deleted one (status: %s)',
    async (statusSubresource) => {
      const harness = await OperatorHarness.start({ statusSubresource });
      const gate = new Gate();
      const created: (string | undefined)[] = [];
      class Operator {
        @OnCreate(...KEX)
        async create({ uid, spec, patch }: ChangeContext) {
          created.push(spec.field);
          if (spec.field === 'first') await gate.opened;
          patch.spec.owner = uid;
          patch.status.owner = uid;
          return spec.field;
        }
      }
      await harness.run(Operator);
      await harness.create('a', { spec: { field: 'first' } });
      await harness.advance(1);
      harness.kube.faults.damageWatches('stall', EXAMPLES);
      await harness.delete('a');
      const second = await harness.create('a', { spec: { field: 'second' } });
      gate.open();
      await harness.advance(1);
      expect(await harness.object('a')).toEqual(second);
      await harness.advance(600);
      expect(created).toEqual(['first', 'second']);
      const { uid } = second.metadata;
      expect(await harness.object('a')).toMatchObject({
        spec: { field: 'second', owner: uid },
        status: { create: 'second', owner: uid },
      });
    },
  );

  it.each([
    ['daemon', Daemon],
    ['timer', Timer],
  ])('should not get what a %s of the deleted one wants', async (_, decorator: typeof Daemon) => {
    const harness = await OperatorHarness.start({ statusSubresource: true });
    const gate = new Gate();
    class Operator {
      @decorator(...KEX)
      async work({ spec, patch }: DaemonContext) {
        if (spec.field === 'first') await gate.opened;
        patch.spec.by = spec.field;
        patch.status.by = spec.field;
        patch.transform((body) => void (body.spec.also = spec.field));
      }
    }
    await harness.run(Operator, { persistence: { finalizer: 'kopf.dev/none' } });
    await harness.create('a', { spec: { field: 'first' } });
    await harness.advance(1);
    harness.kube.faults.damageWatches('stall', EXAMPLES);
    await harness.patch('a', { metadata: { finalizers: null } });
    await harness.delete('a');
    await harness.create('a', { spec: { field: 'second' } });
    gate.open();
    await harness.advance(1);
    expect(await harness.object('a')).toMatchObject({ spec: { field: 'second' } });
    expect((await harness.object('a')).status).toBeUndefined();
    await harness.advance(600);
    expect(await harness.object('a')).toMatchObject({
      spec: { by: 'second', also: 'second' },
      status: { by: 'second' },
    });
  });

  it('should not get the finalizer of the deleted one', async () => {
    const harness = await OperatorHarness.start();
    const gate = new Gate();
    class Operator {
      @OnEvent(...KEX)
      async spy({ spec }: EventContext) {
        if (spec.field === 'first') await gate.opened;
      }
      @OnDelete(...KEX, { labels: { held: 'yes' } })
      delete() {}
    }
    await harness.run(Operator);
    await harness.create('a', { metadata: { labels: { held: 'yes' } }, spec: { field: 'first' } });
    await harness.advance(1);
    harness.kube.faults.damageWatches('stall', EXAMPLES);
    await harness.delete('a');
    const second = await harness.create('a', { spec: { field: 'second' } });
    gate.open();
    await harness.advance(600);
    expect((await harness.object('a')).metadata).toMatchObject({ uid: second.metadata.uid });
    expect((await harness.object('a')).metadata.finalizers).toBeUndefined();
  });
});

describe('A silent watch', () => {
  /** An operator whose handler meets a change during its first attempt, and then silence. */
  async function silenced() {
    const harness = await OperatorHarness.start();
    const calls: [string, number, unknown][] = [];
    let failures = 1;
    class Operator {
      @OnUpdate(...KEX, { timeout: 3600 })
      async update({ spec, retry }: ChangeContext) {
        calls.push([spec.field, retry, harness.clock.now()]);
        if (failures-- > 0) {
          await harness.patch('a', { spec: { field: 'v3' } });
          harness.kube.faults.damageWatches('stall', EXAMPLES);
          throw new TemporaryError('not yet', { delay: 1 });
        }
      }
    }
    await harness.run(Operator, { watching: { inactivityTimeout: 3000 } });
    await harness.create('a', { spec: { field: 'v1' } });
    await harness.advance(1);
    await harness.patch('a', { spec: { field: 'v2' } });
    await harness.advance(60);
    return { harness, calls };
  }

  it('should not make a handler be called with an older state than that of its own patch', async () => {
    const { calls } = await silenced();
    expect(calls.map(([field, retry]) => [field, retry])).toEqual([
      ['v2', 0],
      ['v3', 1],
    ]);
  });

  it('should not leave progress behind that would count for the next change', async () => {
    const { harness, calls } = await silenced();
    expect(await harness.marks('a')).toEqual([LAST_HANDLED]);
    await harness.advance(7200);
    await harness.patch('a', { spec: { field: 'v4' } });
    await harness.advance(60);
    expect(calls.slice(2).map(([field, retry]) => [field, retry])).toEqual([['v4', 0]]);
    expect(harness.logger.messages('error').join()).not.toContain('timed out');
  });

  it('should not make a handler that has succeeded be called again', async () => {
    const harness = await OperatorHarness.start();
    const calls: string[] = [];
    class Operator {
      @OnCreate(...KEX)
      async create({ spec }: ChangeContext) {
        calls.push(spec.field);
        await harness.patch('a', { metadata: { labels: { touched: 'yes' } } });
        harness.kube.faults.damageWatches('stall', EXAMPLES);
      }
    }
    await harness.run(Operator);
    await harness.create('a');
    await harness.advance(600);
    expect(calls).toEqual(['v1']);
    expect(JSON.parse((await harness.object('a')).metadata.annotations![LAST_HANDLED])).toMatchObject({
      spec: { field: 'v1' },
    });
  });

  it('should let progress of a change that was taken back not count for the next one', async () => {
    const harness = await OperatorHarness.start();
    const calls: [string, number][] = [];
    class Operator {
      @OnUpdate(...KEX)
      update({ spec, retry }: ChangeContext) {
        calls.push([spec.field, retry]);
        if (spec.field === 'bad') throw new TemporaryError('not yet', { delay: 100 });
      }
    }
    await harness.run(Operator);
    await harness.create('a');
    await harness.advance(1);
    await harness.patch('a', { spec: { field: 'bad' } });
    await harness.advance(1);
    await harness.patch('a', { spec: { field: 'v1' } });
    await harness.advance(1);
    expect(await harness.marks('a')).toEqual([LAST_HANDLED]);
    await harness.patch('a', { spec: { field: 'good' } });
    await harness.advance(1);
    expect(calls).toEqual([
      ['bad', 0],
      ['good', 0],
    ]);
  });
});

describe('An answer that makes no event', () => {
  it.each([
    [409, 'Conflict'],
    [422, 'Invalid'],
    [404, 'NotFound'],
  ])('should not leave a created object alone for ever (%i)', async (code, reason) => {
    const harness = await OperatorHarness.start({ statusSubresource: true });
    let rejections = 1;
    const calls: number[] = [];
    class Operator {
      @OnCreate(...KEX)
      create({ retry, patch }: ChangeContext) {
        calls.push(retry);
        patch.status.phase = 'Ready';
      }
    }
    await harness.run(Operator, {
      intercept: ({ method }) =>
        method === 'PATCH' && rejections-- > 0 ? errorResponse(code, reason, 'Not so.') : undefined,
    });
    await harness.create('a');
    await harness.advance(60);
    expect(calls).toEqual([0]);
    expect((await harness.object('a')).status).toEqual({ phase: 'Ready' });
    expect(await harness.marks('a')).toEqual([LAST_HANDLED]);
  });

  it.each([
    [409, 'Conflict'],
    [422, 'Invalid'],
    [404, 'NotFound'],
  ])('should not block a deletion for ever (%i)', async (code, reason) => {
    const harness = await OperatorHarness.start();
    let isRejecting = false;
    const calls: string[] = [];
    class Operator {
      @OnDelete(...KEX)
      delete() {
        calls.push('delete');
      }
    }
    await harness.run(Operator, {
      intercept: ({ method, body }) => {
        if (method !== 'PATCH' || !isRejecting || !body?.includes('"remove"')) return undefined;
        isRejecting = false;
        return errorResponse(code, reason, 'Not so.');
      },
    });
    await harness.create('a');
    await harness.advance(1);
    isRejecting = true;
    await harness.delete('a');
    await harness.advance(60);
    expect(calls).toEqual(['delete']);
    expect(await harness.read('a')).toBeUndefined();
  });

  it('should be followed by attempts that become rare, and a warning', async () => {
    const harness = await OperatorHarness.start();
    let patches = 0;
    class Operator {
      @OnCreate(...KEX)
      create() {}
    }
    await harness.run(Operator, {
      intercept: ({ method }) => {
        if (method !== 'PATCH') return undefined;
        patches += 1;
        return errorResponse(409, 'Conflict', 'Not so.');
      },
    });
    await harness.create('a');
    await harness.advance(3600);
    expect(patches).toBeGreaterThan(50);
    expect(patches).toBeLessThan(80);
    expect(harness.logger.messages('warn').join('\n')).toContain('conflicts in a row');
  });
});

describe('A patch that the API server does not accept', () => {
  const invalid = (patch: ChangeContext['patch']): void => void (patch.metadata.labels.size = 'not a label!');

  it('should be a failure of the handler that wants it, so that its retries count', async () => {
    const harness = await OperatorHarness.start();
    const calls: number[] = [];
    class Operator {
      @OnCreate(...KEX, { retries: 3, backoff: 10 })
      create({ retry, patch }: ChangeContext) {
        calls.push(retry);
        invalid(patch);
        return 'done';
      }
    }
    await harness.run(Operator);
    await harness.create('a');
    await harness.advance(3600);
    expect(calls).toEqual([0, 1, 2]);
    expect((await harness.object('a')).status).toBeUndefined();
    expect(await harness.marks('a')).toEqual([LAST_HANDLED]);
    expect(harness.logger.messages('error').join('\n')).toMatch(/Handler 'create' failed .*metadata\.labels/);
  });

  it.each([
    ['permanent', [0], [LAST_HANDLED]],
    ['ignored', [0], [LAST_HANDLED]],
  ] as const)('should follow the mode of errors: %s', async (errors, expected, marks) => {
    const harness = await OperatorHarness.start();
    const calls: number[] = [];
    class Operator {
      @OnCreate(...KEX, { errors })
      create({ retry, patch }: ChangeContext) {
        calls.push(retry);
        invalid(patch);
      }
    }
    await harness.run(Operator);
    await harness.create('a');
    await harness.advance(3600);
    expect(calls).toEqual(expected);
    expect(await harness.marks('a')).toEqual(marks);
  });

  it('should let what other handlers want be stored, and not call them again', async () => {
    const harness = await OperatorHarness.start({ statusSubresource: true });
    const calls: [string, number][] = [];
    class Operator {
      @OnEvent(...KEX)
      spy({ patch }: EventContext) {
        patch.spec.seen = true;
      }
      @OnCreate(...KEX)
      good({ retry, patch }: ChangeContext) {
        calls.push(['good', retry]);
        patch.metadata.labels.good = 'yes';
        return 'good';
      }
      @OnCreate(...KEX, { retries: 2, backoff: 10 })
      bad({ retry, patch }: ChangeContext) {
        calls.push(['bad', retry]);
        invalid(patch);
        return 'bad';
      }
      @OnCreate(...KEX)
      last({ retry, patch }: ChangeContext) {
        calls.push(['last', retry]);
        patch.transform((body) => void (body.spec.last = true));
      }
    }
    await harness.run(Operator, { lifecycle: lifecycles.allAtOnce });
    await harness.create('a');
    await harness.advance(3600);
    expect(calls).toEqual([
      ['good', 0],
      ['bad', 0],
      ['last', 0],
      ['bad', 1],
    ]);
    const { spec, status, metadata } = await harness.object('a');
    expect({ spec, status, labels: metadata.labels }).toEqual({
      spec: { field: 'v1', seen: true, last: true },
      status: { good: 'good' },
      labels: { good: 'yes' },
    });
    expect(await harness.marks('a')).toEqual([LAST_HANDLED]);
  });

  it('should be a failure of a deletion handler, too, after which the object is released', async () => {
    const harness = await OperatorHarness.start();
    const calls: number[] = [];
    class Operator {
      @OnDelete(...KEX, { retries: 2, backoff: 10 })
      delete({ retry, patch }: ChangeContext) {
        calls.push(retry);
        invalid(patch);
      }
    }
    await harness.run(Operator);
    await harness.create('a');
    await harness.advance(1);
    await harness.delete('a');
    await harness.advance(3600);
    expect(calls).toEqual([0, 1]);
    expect(await harness.read('a')).toBeUndefined();
  });

  it('should be a failure of a parent, whose sub-handlers are called again', async () => {
    const harness = await OperatorHarness.start();
    const calls: [string, number][] = [];
    class Operator {
      @OnCreate(...KEX, { retries: 2, backoff: 10 })
      create({ subhandler, retry }: ChangeContext) {
        calls.push(['create', retry]);
        subhandler('child', (context) => {
          calls.push(['child', context.retry]);
          invalid(context.patch);
        });
      }
    }
    await harness.run(Operator);
    await harness.create('a');
    await harness.advance(3600);
    expect(calls).toEqual([
      ['create', 0],
      ['child', 0],
      ['create', 1],
      ['child', 1],
    ]);
    expect(await harness.marks('a')).toEqual([LAST_HANDLED]);
  });

  it('should be an error of the handlers of events, which others do not suffer from', async () => {
    const harness = await OperatorHarness.start();
    let calls = 0;
    class Operator {
      @OnEvent(...KEX)
      spy({ patch }: EventContext) {
        invalid(patch);
      }
      @OnCreate(...KEX)
      create() {
        calls += 1;
        return 'done';
      }
    }
    await harness.run(Operator, { queueing: { errorDelays: [10] } });
    await harness.create('a');
    await harness.advance(60);
    expect(calls).toBe(1);
    expect((await harness.object('a')).status).toEqual({ create: 'done' });
    expect(harness.logger.messages('error').join('\n')).toContain('what the handlers of events want');
  });

  it('should not give attempts another chance that have failed for good anyway', async () => {
    const harness = await OperatorHarness.start();
    const calls: string[] = [];
    class Operator {
      @OnCreate(...KEX, { backoff: 1 })
      create({ patch }: ChangeContext) {
        calls.push('create');
        invalid(patch);
        throw new PermanentError('It can never work.');
      }
      @Timer(...KEX, { interval: 1000, backoff: 1, idle: 0 })
      timer({ patch }: TimerContext) {
        calls.push('timer');
        invalid(patch);
        throw new PermanentError('It can never work.');
      }
    }
    await harness.run(Operator, { background: { timerFailures: 'stop' } });
    await harness.create('a');
    await harness.advance(3600);
    expect(calls.toSorted()).toEqual(['create', 'timer']);
    expect(harness.logger.messages('error').join('\n')).toContain('It can never work.');
  });

  it('should be a failure of a timer, so that its retries count', async () => {
    const harness = await OperatorHarness.start();
    const calls: number[] = [];
    class Operator {
      @Timer(...KEX, { interval: 1000, retries: 3, backoff: 10 })
      tick({ retry, patch }: TimerContext) {
        calls.push(retry);
        invalid(patch);
      }
    }
    await harness.run(Operator);
    await harness.create('a');
    await harness.advance(3600);
    expect(calls).toEqual([0, 1, 2]);
  });

  it('should be a failure of the handler whose transformation throws', async () => {
    const harness = await OperatorHarness.start();
    const calls: number[] = [];
    class Operator {
      @OnCreate(...KEX)
      create({ retry, patch }: ChangeContext) {
        calls.push(retry);
        patch.transform(() => {
          throw new PermanentError('no such field');
        });
      }
    }
    await harness.run(Operator);
    await harness.create('a');
    await harness.advance(3600);
    expect(calls).toEqual([0]);
    expect(await harness.marks('a')).toEqual([LAST_HANDLED]);
    expect(harness.logger.messages('error').join('\n')).toContain("Handler 'create' failed permanently: no such field");
  });
});

describe('A lost answer', () => {
  it('should not make a transformation be applied twice', async () => {
    const harness = await OperatorHarness.start();
    class Operator {
      @OnCreate(...KEX)
      create({ patch }: ChangeContext) {
        patch.transform((body) => void (body.spec.n = (body.spec.n ?? 0) + 1));
      }
    }
    await harness.run(Operator);
    harness.kube.faults.cut('after', {
      verb: 'patch',
      ...EXAMPLES,
      when: ({ headers }) => headers['content-type'] === 'application/json-patch+json',
    });
    await harness.create('a', { spec: {} });
    await harness.advance(60);
    expect((await harness.object('a')).spec).toEqual({ n: 1 });
  });

  it('should not make a timer count twice', async () => {
    const harness = await OperatorHarness.start();
    let ticks = 0;
    class Operator {
      @Timer(...KEX, { interval: 100 })
      tick({ patch }: TimerContext) {
        ticks += 1;
        patch.transform((body) => void (body.spec.n = (body.spec.n ?? 0) + 1));
      }
    }
    await harness.run(Operator);
    harness.kube.faults.cut('after', {
      verb: 'patch',
      ...EXAMPLES,
      when: ({ headers }) => headers['content-type'] === 'application/json-patch+json',
    });
    await harness.create('a', { spec: {} });
    await harness.advance(350);
    expect(ticks).toBe(4);
    expect((await harness.object('a')).spec.n).toBe(4);
  });

  it('should not make a handler be called again, however long the API server is away', async () => {
    const harness = await OperatorHarness.start();
    let isAway = false;
    const calls: number[] = [];
    class Operator {
      @OnCreate(...KEX)
      create({ retry }: ChangeContext) {
        calls.push(retry);
        isAway = true;
        return 'done';
      }
    }
    await harness.run(Operator, {
      networking: { errorBackoffs: [1] },
      intercept: () => {
        if (isAway) throw new Error('ECONNREFUSED');
        return undefined;
      },
    });
    await harness.create('a');
    await harness.advance(300);
    isAway = false;
    await harness.advance(1200);
    expect(calls).toEqual([0]);
    expect((await harness.object('a')).status).toEqual({ create: 'done' });
  });
});

describe('A crash between two requests', () => {
  it('should not lose the result of a handler that counts as succeeded', async () => {
    const harness = await OperatorHarness.start({ statusSubresource: true });
    const calls: string[] = [];
    class Operator {
      @OnCreate(...KEX)
      create({ patch }: ChangeContext) {
        calls.push('create');
        patch.status.phase = 'Ready';
        return { id: 7 };
      }
    }
    let requests = 0;
    const first = await harness.run(Operator, {
      intercept: ({ method }) => {
        if (method === 'PATCH' && ++requests === 2) harness.kill(first);
        return undefined;
      },
    });
    await harness.create('a');
    await harness.advance(1);
    expect(requests).toBe(2);
    await harness.run(Operator);
    await harness.advance(60);
    expect((await harness.object('a')).status).toEqual({ phase: 'Ready', create: { id: 7 } });
    expect(calls.length).toBeLessThanOrEqual(2);
  });

  it.each([
    ['purge', 2],
    ['keep', 1],
  ] as const)('should repeat a deletion handler only if its progress is purged (%s)', async (progress, writes) => {
    const harness = await OperatorHarness.start();
    const calls: [string, number][] = [];
    class Operator {
      @OnDelete(...KEX)
      first({ retry }: ChangeContext) {
        calls.push(['first', retry]);
      }
      @OnDelete(...KEX)
      second({ retry }: ChangeContext) {
        calls.push(['second', retry]);
      }
    }
    await harness.run(Operator, { deletion: { progress } });
    await harness.create('a');
    await harness.advance(1);
    const before = harness.patchesOf('a').length;
    await harness.delete('a');
    await harness.advance(60);
    expect(await harness.read('a')).toBeUndefined();
    expect(calls).toEqual([
      ['first', 0],
      ['second', 0],
    ]);
    // The progress of the first one, and the end.
    expect(harness.patchesOf('a').length - before).toBe(1 + writes);
  });

  it('should not repeat the first of two deletion handlers before the finalizer goes, if progress is kept', async () => {
    const harness = await OperatorHarness.start();
    const calls: string[] = [];
    class Operator {
      @OnDelete(...KEX)
      first() {
        calls.push('first');
      }
      @OnDelete(...KEX)
      second() {
        calls.push('second');
      }
    }
    const options = { deletion: { progress: 'keep' } } as const;
    const doomed = await harness.run(Operator, {
      ...options,
      intercept: ({ method, body }) => {
        if (method === 'PATCH' && body?.includes('"remove"')) harness.kill(doomed);
        return undefined;
      },
    });
    await harness.create('a');
    await harness.advance(1);
    await harness.delete('a');
    await harness.advance(10);
    await harness.run(Operator, options);
    await harness.advance(60);
    expect(await harness.read('a')).toBeUndefined();
    expect(calls).toEqual(['first', 'second', 'second']);
  });
});

describe('What is left of earlier cycles', () => {
  it('should not remove the finalizer when the object needs it again', async () => {
    const harness = await OperatorHarness.start();
    const calls: string[] = [];
    class Operator {
      @OnDelete(...KEX, { labels: { held: 'yes' } })
      delete() {
        calls.push('delete');
      }
    }
    await harness.run(Operator);
    await harness.create('a', { metadata: { labels: { held: 'yes' } }, spec: {} });
    await harness.advance(1);
    // The removal of the finalizer meets with a newer version, in which the object matches again and is being deleted.
    harness.kube.faults.before(
      async () => {
        await harness.patch('a', { metadata: { labels: { held: 'yes' } } });
        await harness.delete('a');
      },
      { verb: 'patch', ...EXAMPLES, when: ({ headers }) => headers['content-type'] === 'application/json-patch+json' },
    );
    await harness.patch('a', { metadata: { labels: { held: null } } });
    await harness.advance(60);
    expect(calls).toEqual(['delete']);
    expect(await harness.read('a')).toBeUndefined();
  });

  it('should not stay on an object that no handler is for any more', async () => {
    const harness = await OperatorHarness.start();
    class Operator {
      @OnCreate(...KEX, { labels: { held: 'yes' } })
      create() {
        throw new TemporaryError('not yet', { delay: 10 });
      }
    }
    await harness.run(Operator);
    await harness.create('a', { metadata: { labels: { held: 'yes' } }, spec: {} });
    await harness.advance(15);
    expect(await harness.marks('a')).not.toEqual([]);
    await harness.patch('a', { metadata: { labels: { held: null } } });
    await harness.advance(60);
    expect((await harness.marks('a')).filter((mark) => mark.endsWith('create'))).toEqual([]);
  });

  it('should not keep the touch of a change that was taken back', async () => {
    const harness = await OperatorHarness.start();
    class Operator {
      @OnUpdate(...KEX)
      update() {
        throw new TemporaryError('not yet', { delay: 10 });
      }
    }
    const TOUCH = 'kopf.zalando.org/touch-dummy';
    await harness.run(Operator, {
      intercept: async ({ method, body }) => {
        if (method === 'PATCH' && body?.includes(TOUCH)) await harness.patch('a', { spec: { field: 'v1' } });
        return undefined;
      },
    });
    await harness.create('a');
    await harness.advance(1);
    await harness.patch('a', { spec: { field: 'v2' } });
    await harness.advance(60);
    expect(await harness.marks('a')).toEqual([LAST_HANDLED]);
  });

  it('should be done though another operator, with another clock, has touched the object with the same time', async () => {
    const harness = await OperatorHarness.start();
    const retries: number[] = [];
    class Operator {
      @OnCreate(...KEX)
      create({ retry }: ChangeContext) {
        retries.push(retry);
        if (retry === 0) throw new TemporaryError('not yet', { delay: 10 });
      }
    }
    await harness.run(Operator);
    await harness.create('a');
    await harness.advance(1);
    const { annotations } = (await harness.object('a')).metadata;
    const { delayed } = JSON.parse(annotations!['kopf.zalando.org/create']) as { delayed: string };
    await harness.patch('a', { metadata: { annotations: { 'kopf.zalando.org/touch-dummy': delayed } } });
    await harness.advance(60);
    expect(retries).toEqual([0, 1]);
    expect(await harness.marks('a')).toEqual([LAST_HANDLED]);
  });

  it('should not keep the touch on an object that has daemons only', async () => {
    const harness = await OperatorHarness.start();
    class Operator {
      @Daemon(...KEX, { labels: { on: 'yes' } })
      async daemon({ stopped, patch }: DaemonContext) {
        await stopped.wait();
        await new Promise<void>((resolve) => void harness.clock.setTimer(resolve, 4000));
        patch.status.done = true;
      }
    }
    const touches: string[] = [];
    await harness.run(Operator, {
      intercept: ({ method, body }) => {
        if (method === 'PATCH' && body?.includes('touch-dummy')) touches.push(body);
        return Promise.resolve(undefined);
      },
    });
    await harness.create('a', { metadata: { labels: { on: 'yes' } }, spec: {} });
    await harness.advance(1);
    await harness.patch('a', { metadata: { labels: { on: null } } });
    await harness.advance(120);
    expect((await harness.object('a')).status).toEqual({ done: true });
    expect(touches).not.toEqual([]);
    expect(await harness.marks('a')).toEqual([]);
  });

  it('should not be missed by an object that has left the filter of a handler and has come back', async () => {
    const harness = await OperatorHarness.start();
    const calls: string[] = [];
    class Operator {
      @OnUpdate(...KEX, { labels: { on: 'yes' } })
      first() {
        calls.push('first');
      }
      @OnUpdate(...KEX, { labels: { on: 'yes' } })
      second({ retry }: ChangeContext) {
        calls.push(`second ${retry}`);
        if (retry === 0) throw new TemporaryError('not yet', { delay: 10 });
      }
      @OnUpdate(...KEX, { id: 'other' })
      other() {}
    }
    await harness.run(Operator);
    await harness.create('a', { spec: {} });
    await harness.advance(1);
    await harness.patch('a', { metadata: { labels: { on: 'yes' } } });
    await harness.advance(1);
    await harness.patch('a', { metadata: { labels: { on: null } } });
    await harness.advance(1);
    calls.length = 0;
    await harness.patch('a', { metadata: { labels: { on: 'yes' } } });
    await harness.advance(60);
    expect(calls).toEqual(['first', 'second 0', 'second 1']);
    expect(harness.logger.messages('warn').join('\n')).not.toContain('Another client has removed');
    expect(await harness.marks('a')).toEqual([LAST_HANDLED]);
  });

  it('should not keep a daemon from starting that is needed again while it exits', async () => {
    const harness = await OperatorHarness.start();
    let starts = 0;
    class Operator {
      @Daemon(...KEX, { labels: { on: 'yes' } })
      async daemon({ stopped }: DaemonContext) {
        starts += 1;
        await stopped.wait();
        await new Promise<void>((resolve) => void harness.clock.setTimer(resolve, 4000));
      }
    }
    await harness.run(Operator);
    await harness.create('a', { metadata: { labels: { on: 'yes' } }, spec: {} });
    await harness.advance(1);
    await harness.patch('a', { metadata: { labels: { on: null } } });
    await harness.advance(1);
    await harness.patch('a', { metadata: { labels: { on: 'yes' } } });
    await harness.advance(1);
    expect(starts).toBe(1);
    await harness.advance(10);
    expect(starts).toBe(2);
  });
});

describe('A deletion that waits for a daemon', () => {
  it('should not call its handlers again and again meanwhile', async () => {
    const harness = await OperatorHarness.start();
    let calls = 0;
    class Operator {
      @Daemon(...KEX)
      async daemon({ stopped }: DaemonContext) {
        await stopped.wait();
        await new Promise<void>((resolve) => void harness.clock.setTimer(resolve, 4000));
      }
      @OnDelete(...KEX)
      delete({ patch }: ChangeContext) {
        patch.status.calls = ++calls;
      }
    }
    await harness.run(Operator);
    await harness.create('a');
    await harness.advance(1);
    await harness.delete('a');
    await harness.advance(3);
    expect(calls).toBe(1);
    expect(await harness.read('a')).toBeDefined();
    await harness.advance(120);
    expect(await harness.read('a')).toBeUndefined();
    expect(calls).toBe(1);
  });
});
