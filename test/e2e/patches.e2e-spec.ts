import {
  allAtOnce,
  OnCreate,
  OnDelete,
  OnEvent,
  OnResume,
  OnUpdate,
  TemporaryError,
  type ChangeContext,
  type EventContext,
  type KubeObject,
} from 'nestjs-kopf';
import { answer, KEX, OperatorHarness, refusal } from '../support/operator.harness.js';

const LAST_HANDLED = 'kopf.zalando.org/last-handled-configuration';

describe('Results of handlers', () => {
  it('should be put into the status under the id of the handler, merged if they are mappings', async () => {
    class Operator {
      @OnCreate(...KEX)
      number() {
        return 100;
      }
      @OnCreate(...KEX, { id: 'map' })
      mapping({ patch }: ChangeContext) {
        patch.status.map = { own: true, r1: 0 };
        return { r1: 1, r2: new Date(0), nothing: undefined };
      }
      @OnCreate(...KEX)
      nothing() {}
      @OnCreate(...KEX)
      nullish() {
        return null;
      }
      @OnCreate(...KEX)
      falsy() {
        return false;
      }
      @OnCreate(...KEX, { field: 'spec.field' })
      field() {
        return ['list'];
      }
    }
    const harness = await OperatorHarness.start();
    await harness.run(Operator);
    await harness.create('a', { spec: { field: 'v1' }, status: { map: { kept: 1 } } });
    await harness.advance(5);
    expect((await harness.object('a')).status).toEqual({
      number: 100,
      map: { kept: 1, own: true, r1: 1, r2: '1970-01-01T00:00:00.000Z' },
      falsy: false,
      'field/spec.field': ['list'],
    });
  });

  it('should be a way for handlers to wait for each other', async () => {
    const seen: unknown[] = [];
    class Operator {
      @OnCreate(...KEX)
      job({ status }: ChangeContext) {
        seen.push(status.claim);
        if (!status.claim) throw new TemporaryError('The claim is not created yet.', { delay: 10 });
        return { for: status.claim.name };
      }
      @OnCreate(...KEX)
      claim() {
        return { name: 'c-1' };
      }
    }
    const harness = await OperatorHarness.start();
    await harness.run(Operator);
    await harness.create('a');
    await harness.advance(30);
    expect(seen).toEqual([undefined, { name: 'c-1' }]);
    expect((await harness.object('a')).status).toEqual({ claim: { name: 'c-1' }, job: { for: 'c-1' } });
  });

  it('should come from handlers of events, too', async () => {
    class Operator {
      @OnEvent(...KEX)
      spy({ type }: EventContext) {
        return type === 'ADDED' ? { seen: true } : undefined;
      }
    }
    const harness = await OperatorHarness.start({ statusSubresource: true });
    await harness.run(Operator);
    await harness.create('a');
    await harness.advance(5);
    expect((await harness.object('a')).status).toEqual({ spy: { seen: true } });
    expect(harness.writes.map(({ path }) => path)).toEqual(['/apis/kopf.dev/v1/namespaces/ns/kopfexamples/a/status']);
  });

  it.each([
    ['a function', () => ({ deep: [() => 1] }), 'result.deep[0] is a function'],
    ['a bigint', () => 1n, 'result is a bigint'],
    ['a symbol', () => ({ s: Symbol('x') }), 'result.s is a symbol'],
    ['a map', () => new Map(), 'result is a Map'],
    ['not a number', () => ({ n: NaN }), 'result.n is NaN'],
    [
      'a cycle',
      () => {
        const value: Record<string, unknown> = {};
        value.self = value;
        return value;
      },
      'result.self refers to its own container',
    ],
  ])('should fail the handler for good, with the place named, if JSON cannot hold them: %s', async (_, make, text) => {
    class Operator {
      @OnCreate(...KEX)
      create() {
        return make() as unknown;
      }
    }
    const harness = await OperatorHarness.start();
    await harness.run(Operator);
    await harness.create('a');
    await harness.advance(600);
    expect(harness.logger.messages('error')).toEqual([
      `[ns/a] Handler 'create' failed permanently: Handler 'create' returned what JSON cannot hold: ${text}.`,
    ]);
    expect(await harness.marks('a')).toEqual([LAST_HANDLED]);
  });

  it('should be reported once for the resource if the cluster prunes them, with what to do', async () => {
    class Operator {
      @OnCreate(...KEX)
      create() {
        return { some: 'result' };
      }
    }
    const harness = await OperatorHarness.start({ prunedStatus: true });
    await harness.run(Operator);
    await harness.create('a');
    await harness.create('b');
    await harness.advance(5);
    expect(harness.logger.messages('warn')).toEqual([
      expect.stringMatching(/\[ns\/a\] The cluster does not keep status\.create\.some .*preserve-unknown-fields/),
    ]);
    expect(await harness.marks('b')).toEqual([LAST_HANDLED]);
  });
});

describe('Patches', () => {
  it('should be sent in one request with the progress, without the status where it is a subresource', async () => {
    class Operator {
      @OnCreate(...KEX)
      create({ patch }: ChangeContext) {
        patch.spec.field = 'patched';
        patch.metadata.labels.l = 'x';
        patch.meta.annotations.n = 'y';
        patch.status.phase = 'Ready';
        patch.merge({ data: { key: 'value' } });
      }
    }
    const harness = await OperatorHarness.start({ statusSubresource: true });
    await harness.run(Operator);
    await harness.create('a');
    await harness.advance(0);
    expect(
      harness
        .patchesOf('a')
        .slice(0, 2)
        .map(({ path, body }) => [path.split('/').at(-1), Object.keys(body as object)]),
    ).toEqual([
      ['a', ['spec', 'metadata', 'data']],
      ['status', ['status']],
    ]);
    const { spec, status, data, metadata } = await harness.object('a');
    expect({ spec, status, data, labels: metadata.labels }).toEqual({
      spec: { field: 'patched' },
      status: { phase: 'Ready' },
      data: { key: 'value' },
      labels: { l: 'x' },
    });
  });

  it('should remove fields by null', async () => {
    class Operator {
      @OnCreate(...KEX)
      create({ patch }: ChangeContext) {
        patch.spec.field = null;
        patch.metadata.labels.l = null;
      }
    }
    const harness = await OperatorHarness.start();
    await harness.run(Operator);
    await harness.create('a', { spec: { field: 1, other: 2 }, metadata: { labels: { l: 'x', m: 'y' } } });
    await harness.advance(5);
    const { spec, metadata } = await harness.object('a');
    expect(spec).toEqual({ other: 2 });
    expect(metadata.labels).toEqual({ m: 'y' });
  });

  it('should report what the cluster has not taken over', async () => {
    class Operator {
      @OnCreate(...KEX)
      create({ patch }: ChangeContext) {
        patch.merge({ unknown: { field: 1 } });
      }
    }
    const harness = await OperatorHarness.start();
    await harness.run(Operator);
    await harness.create('a');
    await harness.advance(5);
    expect(harness.logger.messages('warn')).toEqual([
      '[ns/a] Merge-patching finished with inconsistencies: [["remove",["unknown","field"],1,null]]',
    ]);
  });

  it('should be no error for an object that has gone meanwhile', async () => {
    class Operator {
      @OnCreate(...KEX)
      create() {
        return 'done';
      }
    }
    const harness = await OperatorHarness.start();
    await harness.run(Operator, {
      intercept: async ({ method }) => {
        if (method === 'PATCH') await harness.delete('a');
        return undefined;
      },
    });
    await harness.create('a');
    await harness.advance(600);
    expect(harness.writes.map(({ response }) => response)).toEqual([404]);
    expect(harness.logger.messages('warn', 'error')).toEqual([]);
  });

  it('should not be sent to another object that has got the name of one that has gone', async () => {
    const harness = await OperatorHarness.start();
    const waiting: (() => void)[] = [];
    class Operator {
      @OnCreate(...KEX)
      async create({ spec }: ChangeContext) {
        if (spec.slow) await new Promise<void>((resolve) => waiting.push(resolve));
        return spec;
      }
    }
    await harness.run(Operator);
    await harness.create('a', { spec: { slow: true } });
    await harness.advance(1);
    await harness.delete('a');
    await harness.create('a', { spec: { other: true } });
    await harness.advance(1);
    const { resourceVersion } = (await harness.object('a')).metadata;
    waiting[0]();
    await harness.advance(60);
    const { status, metadata } = await harness.object('a');
    expect(status).toEqual({ create: { other: true } });
    expect(metadata.resourceVersion).toBe(resourceVersion);
  });

  it("should make a new update of the operator's own change of the spec", async () => {
    const diffs: unknown[] = [];
    class Operator {
      @OnCreate(...KEX)
      create({ patch }: ChangeContext) {
        patch.spec.own = 1;
      }
      @OnUpdate(...KEX)
      update({ diff }: ChangeContext) {
        diffs.push(diff);
      }
    }
    const harness = await OperatorHarness.start();
    await harness.run(Operator);
    await harness.create('a');
    await harness.advance(60);
    expect(diffs).toEqual([[['add', ['spec', 'own'], null, 1]]]);
  });
});

describe('Patches by transformation', () => {
  const addItem =
    (item: string) =>
    ({ spec }: KubeObject): void => {
      spec.items = [...(spec.items ?? []), item];
    };

  it('should be applied to the newest object, and sent as a JSON patch of that version', async () => {
    class Operator {
      @OnCreate(...KEX)
      create({ patch }: ChangeContext) {
        patch.transform(addItem('own'));
      }
    }
    const harness = await OperatorHarness.start();
    await harness.run(Operator);
    await harness.create('a', { spec: { items: ['x'] } });
    await harness.advance(5);
    expect((await harness.object('a')).spec).toEqual({ items: ['x', 'own'] });
    const [merged, transformed] = harness.patchesOf('a');
    expect(merged.contentType).toBe('application/merge-patch+json');
    expect(transformed.body).toEqual([
      { op: 'test', path: '/metadata/resourceVersion', value: expect.any(String) },
      { op: 'add', path: '/spec/items/1', value: 'own' },
    ]);
  });

  it('should split the status where it is a subresource', async () => {
    class Operator {
      @OnEvent(...KEX)
      spy({ patch, spec }: EventContext) {
        if (spec.seen) return;
        patch.transform((body) => {
          body.spec.seen = true;
          body.status = { conditions: ['Seen'] };
        });
      }
    }
    const harness = await OperatorHarness.start({ statusSubresource: true });
    await harness.run(Operator);
    await harness.create('a');
    await harness.advance(5);
    const { spec, status } = await harness.object('a');
    expect({ spec, status }).toEqual({ spec: { field: 'v1', seen: true }, status: { conditions: ['Seen'] } });
    expect(harness.patchesOf('a').map(({ path }) => path.split('/').at(-1))).toEqual(['a', 'status']);
  });

  it.each([
    ['409', 409, 'Conflict'],
    ['422', 422, 'Invalid'],
  ])(
    'should be tried again with the next event if the object has changed meanwhile, and not call the handler again: %s',
    async (_, code, reason) => {
      const calls: string[] = [];
      let conflicts = 0;
      class Operator {
        @OnCreate(...KEX)
        create({ patch }: ChangeContext) {
          calls.push('create');
          patch.transform(addItem('own'));
        }
      }
      const harness = await OperatorHarness.start();
      await harness.run(Operator, {
        intercept: ({ headers }) => {
          if (headers['content-type'] !== 'application/json-patch+json' || conflicts++ > 0) return undefined;
          return refusal(code, reason, 'the object has been modified');
        },
      });
      await harness.create('a', { spec: { items: ['x'] } });
      await harness.advance(60);
      expect(calls).toEqual(['create']);
      expect(conflicts).toBe(2);
      expect((await harness.object('a')).spec).toEqual({ items: ['x', 'own'] });
      expect(harness.logger.messages('warn', 'error')).toEqual([]);
    },
  );

  it('should include what somebody else has changed at the same moment', async () => {
    const harness = await OperatorHarness.start();
    class Operator {
      @OnCreate(...KEX)
      async create({ patch }: ChangeContext) {
        await harness.patch('a', { spec: { items: ['x', 'y'] } });
        patch.transform(addItem('own'));
      }
    }
    await harness.run(Operator);
    await harness.create('a', { spec: { items: ['x'] } });
    await harness.advance(60);
    expect((await harness.object('a')).spec).toEqual({ items: ['x', 'y', 'own'] });
  });
});

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
        return answer(200, { metadata: { name: path.split('/').at(-1), resourceVersion: 'never' } });
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
    await harness.run(Operator, { lifecycle: allAtOnce });
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
