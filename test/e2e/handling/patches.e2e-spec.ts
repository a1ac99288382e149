import {
  OnCreate,
  OnEvent,
  OnUpdate,
  TemporaryError,
  type ChangeContext,
  type EventContext,
  type KubeObject,
} from 'nestjs-kopf';
import { KEX, OperatorHarness, errorResponse } from '../../support/operators/operator.harness.js';

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
      ['status', ['metadata', 'status']],
      ['a', ['spec', 'metadata', 'data']],
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
      '[ns/a] Merge-patching finished with inconsistencies: the cluster has other values of unknown.field.',
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

describe('Patches that change nothing', () => {
  it.each<[string, (context: EventContext) => unknown]>([
    ['a result', () => 'seen'],
    ['a field', ({ patch }) => void (patch.status.phase = 'Seen')],
    ['an undefined field', ({ patch }) => void (patch.status.phase = undefined)],
    ['a transformation', ({ patch }) => patch.transform(({ spec }) => void (spec.seen = true))],
  ])('should not keep delayed handlers from being called in time: %s', async (_, handle) => {
    const retries: number[] = [];
    class Operator {
      @OnEvent(...KEX)
      spy(context: EventContext) {
        return handle(context);
      }
      @OnCreate(...KEX)
      create({ retry, runtime }: ChangeContext) {
        retries.push(runtime);
        if (retry < 3) throw new TemporaryError('Not yet.', { delay: 10 });
      }
    }
    const harness = await OperatorHarness.start();
    await harness.run(Operator);
    await harness.create('a');
    await harness.advance(60);
    expect(retries).toEqual([0, 10, 20, 30]);
  });

  it('should not keep the next handlers from being called if somebody else has done the same meanwhile', async () => {
    const calls: string[] = [];
    class Operator {
      @OnCreate(...KEX)
      one({ patch }: ChangeContext) {
        calls.push('one');
        patch.transform(({ spec }) => void (spec.seen = true));
      }
      @OnCreate(...KEX)
      two() {
        calls.push('two');
      }
    }
    const harness = await OperatorHarness.start();
    await harness.run(Operator, {
      intercept: async ({ headers }) => {
        const isTransformation = headers['content-type'] === 'application/json-patch+json';
        if (isTransformation) await harness.patch('a', { spec: { seen: true } });
        return undefined;
      },
    });
    await harness.create('a');
    await harness.advance(60);
    expect(calls).toEqual(['one', 'two']);
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
          return errorResponse(code, reason, 'the object has been modified');
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

  it('should be reported and given up if they would make an invalid object, and hold up nothing', async () => {
    const calls: string[] = [];
    class Operator {
      @OnCreate(...KEX, { retries: 1 })
      create({ patch }: ChangeContext) {
        calls.push('create');
        patch.transform((body) => void (body.spec = 'text'));
      }
      @OnUpdate(...KEX)
      update() {
        calls.push('update');
      }
    }
    const harness = await OperatorHarness.start();
    await harness.run(Operator);
    await harness.create('a');
    await harness.advance(60);
    expect(harness.logger.messages('error')).toEqual([expect.stringContaining('"a" is invalid: spec')]);
    await harness.patch('a', { spec: { field: 'v2' } });
    await harness.advance(60);
    expect(calls).toEqual(['create', 'update']);
    expect(harness.logger.messages('error')).toHaveLength(1);
  });

  it('should be reported if they are asynchronous', async () => {
    class Operator {
      @OnCreate(...KEX, { retries: 1 })
      create({ patch }: ChangeContext) {
        patch.transform(async () => Promise.reject(new Error('too late')));
      }
    }
    const harness = await OperatorHarness.start();
    await harness.run(Operator);
    await harness.create('a');
    await harness.advance(60);
    expect(harness.logger.messages('error')).toEqual([expect.stringContaining('has returned a promise')]);
  });

  it('should be sent before the next handlers are called, if they are late', async () => {
    const seen: unknown[] = [];
    let conflicts = 0;
    class Operator {
      @OnCreate(...KEX)
      one({ patch }: ChangeContext) {
        patch.transform(addItem('own'));
      }
      @OnCreate(...KEX)
      two({ spec }: ChangeContext) {
        seen.push(spec.items);
      }
    }
    const harness = await OperatorHarness.start();
    await harness.run(Operator, {
      intercept: ({ headers }) => {
        if (headers['content-type'] !== 'application/json-patch+json' || conflicts++ > 0) return undefined;
        return errorResponse(422, 'Invalid', 'the object has been modified');
      },
    });
    await harness.create('a', { spec: { items: ['x'] } });
    await harness.advance(60);
    expect(seen).toEqual([['x', 'own']]);
  });

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
