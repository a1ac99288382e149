import {
  lifecycles,
  OnCreate,
  OnDelete,
  OnEvent,
  OnResume,
  OnUpdate,
  TemporaryError,
  type ChangeContext,
  type EventContext,
} from 'nestjs-kopf';
import { respondWith } from 'nestjs-kopf/testing';
import { KEX, OperatorHarness } from '../../support/operators/operator.harness.js';

const LAST_HANDLED = 'kopf.zalando.org/last-handled-configuration';

describe('Consistency', () => {
  it('should make the handlers wait for the event of the own patch, and not see older states as new ones', async () => {
    const seen: unknown[] = [];
    const harness = await OperatorHarness.start();
    class Operator {
      @OnCreate(...KEX)
      async create({ spec }: ChangeContext) {
        seen.push(['create', spec.field]);
        // An event of this change comes before that of the operator's patch.
        await harness.patch('a', { spec: { field: 'v2' } });
      }
      @OnUpdate(...KEX)
      update({ old, new: now }: ChangeContext) {
        seen.push(['update', old.spec.field, now.spec.field]);
      }
    }
    await harness.run(Operator);
    await harness.create('a');
    await harness.advance(60);
    expect(seen).toEqual([
      ['create', 'v1'],
      ['update', 'v1', 'v2'],
    ]);
    expect(harness.logger.messages('warn')).toEqual([]);
  });

  /** An operator whose first patch is answered with a version of which no event comes. */
  async function misled(persistence: object): Promise<{ harness: OperatorHarness; seen: [string, number][] }> {
    const seen: [string, number][] = [];
    let answers = 0;
    const harness = await OperatorHarness.start();
    const note = (id: string): void => void seen.push([id, harness.clock.monotonic()]);
    class Operator {
      @OnCreate(...KEX)
      create() {
        note('create');
      }
      @OnUpdate(...KEX)
      update() {
        note('update');
      }
      @OnEvent(...KEX)
      spy({ spec }: EventContext) {
        note(spec.field);
      }
    }
    await harness.run(Operator, {
      persistence,
      intercept: ({ method, path }) => {
        if (method !== 'PATCH' || answers++ > 0) return undefined;
        return respondWith(200, { metadata: { name: path.split('/').at(-1), resourceVersion: 'never' } });
      },
    });
    await harness.create('a');
    await harness.advance(1);
    await harness.patch('a', { spec: { field: 'v2' } });
    await harness.advance(60);
    return { harness, seen };
  }

  it.each([
    [5, {}],
    [2, { consistencyTimeout: 2 }],
  ])('should be waited for %s seconds at most after the patch', async (seconds, persistence) => {
    const { seen } = await misled(persistence);
    const patched = seen[1][1];
    expect(seen.filter(([id]) => id.startsWith('create'))).toEqual([
      ['create', patched],
      ['create', patched + seconds * 1000],
    ]);
  });

  it('should not hold up handlers of events', async () => {
    const { seen } = await misled({});
    const patched = seen[1][1];
    expect(seen.slice(0, 3)).toEqual([
      ['v1', patched],
      ['create', patched],
      ['v2', patched + 1000],
    ]);
  });
});

describe('Superseded handling', () => {
  it('should go on with the new purpose, and the attempts so far of the handlers that are still selected', async () => {
    const seen: unknown[] = [];
    class Operator {
      @OnCreate(...KEX)
      create() {}
      @OnResume(...KEX)
      @OnUpdate(...KEX)
      both({ reason, retry }: ChangeContext) {
        seen.push([reason, retry]);
        if (reason === 'resume') throw new TemporaryError('wait', { delay: 600 });
        if (retry < 2) throw new TemporaryError('wait', { delay: 1 });
      }
    }
    const harness = await OperatorHarness.start();
    await harness.run(Operator);
    await harness.create('a');
    await harness.advance(5);
    await harness.stop();
    await harness.run(Operator);
    await harness.advance(5);
    await harness.patch('a', { spec: { field: 'v2' } });
    await harness.advance(1200);
    // What was delayed for the older purpose stays delayed.
    expect(seen).toEqual([
      ['resume', 0],
      ['update', 1],
      ['update', 2],
    ]);
    expect(harness.logger.messages('log')).toContain(
      '[ns/a] Resuming is superseded by updating: 0 succeeded; 0 failed; 1 left to the moment.',
    );
    expect(await harness.marks('a')).toEqual([LAST_HANDLED]);
  });

  it('should report what was done and remove its records when the deletion comes in between', async () => {
    const seen: string[] = [];
    class Operator {
      @OnCreate(...KEX)
      good() {}
      @OnCreate(...KEX)
      slow() {
        throw new TemporaryError('wait', { delay: 600 });
      }
      @OnDelete(...KEX)
      async remove({ retry }: ChangeContext) {
        seen.push((await harness.marks('a')).join());
        if (retry === 0) throw new TemporaryError('wait', { delay: 1 });
      }
    }
    const harness = await OperatorHarness.start();
    await harness.run(Operator);
    await harness.create('a');
    await harness.advance(5);
    expect((await harness.marks('a')).toSorted()).toEqual(['kopf.zalando.org/good', 'kopf.zalando.org/slow']);
    await harness.delete('a');
    await harness.advance(5);
    expect(await harness.read('a')).toBeUndefined();
    expect(harness.logger.messages('log')).toContain(
      '[ns/a] Creation is superseded by deletion: 1 succeeded; 0 failed; 1 left to the moment.',
    );
    expect(seen).toEqual([
      'kopf.zalando.org/good,kopf.zalando.org/slow',
      'kopf.zalando.org/remove,kopf.zalando.org/touch-dummy',
    ]);
  });
});

describe('Lifecycles', () => {
  it('should execute all handlers in one cycle if told so, without storing their progress', async () => {
    class Operator {
      @OnCreate(...KEX)
      one() {}
      @OnCreate(...KEX)
      two() {}
    }
    const harness = await OperatorHarness.start();
    await harness.run(Operator, { lifecycle: lifecycles.allAtOnce });
    await harness.create('a');
    await harness.advance(5);
    expect(harness.writes).toHaveLength(1);
    expect(await harness.marks('a')).toEqual([LAST_HANDLED]);
  });

  it("should execute what the user's own one says", async () => {
    const called: string[] = [];
    class Operator {
      @OnCreate(...KEX)
      one() {
        called.push('one');
      }
      @OnCreate(...KEX)
      two() {
        called.push('two');
      }
    }
    const harness = await OperatorHarness.start();
    await harness.run(Operator, { lifecycle: (handlers) => [...handlers.toReversed(), ...handlers] });
    await harness.create('a');
    await harness.advance(5);
    expect(called).toEqual(['two', 'one']);
  });
});
