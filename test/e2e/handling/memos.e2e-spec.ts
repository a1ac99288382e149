import {
  Daemon,
  KopfOperator,
  OnCleanup,
  OnCreate,
  OnDelete,
  OnEvent,
  OnStartup,
  OnUpdate,
  type ActivityContext,
  type ChangeContext,
  type DaemonContext,
  type EventContext,
} from 'nestjs-kopf';
import { KEX, OperatorHarness, type OperatorOptions } from '../../support/operators/operator.harness.js';

/** A time in which the operator cannot reach the cluster, and after which it has to list everything again. */
class Absence {
  private isAway = false;

  readonly options: OperatorOptions = {
    watching: { clientTimeout: 10 },
    intercept: () => {
      if (this.isAway) throw Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED' });
      return undefined;
    },
  };

  async during(harness: OperatorHarness, act: () => Promise<unknown>): Promise<void> {
    this.isAway = true;
    await harness.advance(30);
    await act();
    harness.kube.expireHistory();
    this.isAway = false;
    await harness.advance(120);
  }
}

describe('Memos', () => {
  it('should be shared by all handlers of an object, and by those of no other one', async () => {
    const seen: unknown[] = [];
    class Operator {
      @OnEvent(...KEX)
      pinged({ memo }: EventContext) {
        memo.counter = (memo.counter ?? 0) + 1;
      }
      @OnUpdate(...KEX)
      update({ memo, name }: ChangeContext) {
        seen.push([name, memo.counter]);
      }
      @OnCreate(...KEX)
      create() {}
    }
    const harness = await OperatorHarness.start();
    await harness.run(Operator);
    await harness.create('a');
    await harness.create('b');
    await harness.advance(5);
    await harness.patch('a', { status: { x: 1 } });
    await harness.patch('a', { spec: { field: 'v2' } });
    await harness.patch('b', { spec: { field: 'v2' } });
    await harness.advance(5);
    expect(seen.toSorted()).toEqual([
      ['a', 4],
      ['b', 3],
    ]);
  });

  it('should be new for an object that was deleted and created again with the same name', async () => {
    const seen: unknown[] = [];
    class Operator {
      @OnCreate(...KEX)
      create({ memo }: ChangeContext) {
        seen.push(memo.token);
        memo.token = 'mine';
      }
    }
    const harness = await OperatorHarness.start();
    const operator = await harness.run(Operator);
    await harness.create('a');
    await harness.advance(5);
    expect(operator.objects).toBe(1);
    await harness.delete('a');
    await harness.advance(5);
    expect(operator.objects).toBe(0);
    await harness.create('a');
    await harness.advance(5);
    expect(seen).toEqual([undefined, undefined]);
  });

  it('should be there still for the handlers of the deletion', async () => {
    const seen: unknown[] = [];
    class Operator {
      @OnCreate(...KEX)
      create({ memo }: ChangeContext) {
        memo.token = 'mine';
      }
      @OnDelete(...KEX)
      remove({ memo }: ChangeContext) {
        seen.push(['delete', memo.token]);
      }
      @OnEvent(...KEX)
      spy({ type, memo }: EventContext) {
        if (type === 'DELETED') seen.push(['gone', memo.token]);
      }
    }
    const harness = await OperatorHarness.start();
    await harness.run(Operator);
    await harness.create('a');
    await harness.advance(5);
    await harness.delete('a');
    await harness.advance(5);
    expect(seen).toEqual([
      ['delete', 'mine'],
      ['gone', 'mine'],
    ]);
  });

  it("should be shallow copies of the operator's memo, which startup handlers fill", async () => {
    const seen: unknown[] = [];
    class Operator {
      @OnStartup()
      begin({ memo }: ActivityContext) {
        memo.queue = [];
        memo.flag = 'operator';
      }
      @OnCreate(...KEX)
      create({ memo, name }: ChangeContext) {
        seen.push(memo.flag);
        memo.flag = name;
        memo.queue.push(name);
      }
      @OnCleanup()
      end({ memo }: ActivityContext) {
        seen.push(memo);
      }
    }
    const harness = await OperatorHarness.start();
    await harness.run(Operator, { memo: { given: true } });
    await harness.create('a');
    await harness.create('b');
    await harness.advance(5);
    await harness.stop();
    expect(seen).toEqual(['operator', 'operator', { given: true, queue: ['a', 'b'], flag: 'operator' }]);
  });

  it("should not follow later changes of the operator's memo, but of what is inside of both", async () => {
    const seen: unknown[] = [];
    let operatorMemo: any;
    class Operator {
      @OnStartup()
      begin({ memo }: ActivityContext) {
        operatorMemo = memo;
        Object.assign(memo, { value: 1, list: ['startup'] });
      }
      @OnEvent(...KEX)
      event({ memo, name }: EventContext) {
        seen.push([name, memo.value, [...memo.list]]);
      }
    }
    const harness = await OperatorHarness.start();
    await harness.run(Operator);
    await harness.create('a');
    await harness.advance(1);
    operatorMemo.value = 2;
    operatorMemo.list.push('later');
    await harness.patch('a', { spec: { field: 'v2' } });
    await harness.advance(1);
    expect(seen).toEqual([
      ['a', 1, ['startup']],
      ['a', 1, ['startup', 'later']],
    ]);
  });

  it("should be of the user's own class, copied as it says", async () => {
    class Own {
      constructor(readonly objects: string[] = []) {}
      note(name: string): void {
        this.objects.push(name);
      }
      /** One memo for all objects. */
      clone(): this {
        return this;
      }
    }
    class Copied extends Own {
      override clone(): this {
        return new Copied([...this.objects, 'copied']) as this;
      }
    }
    class Operator {
      @OnCreate(...KEX)
      create({ memo, name }: ChangeContext<any, any, Own>) {
        memo.note(name);
        return memo.objects;
      }
    }
    const harness = await OperatorHarness.start();
    const shared = new Own();
    await harness.run(Operator, { memo: shared });
    await harness.create('a');
    await harness.create('b');
    await harness.advance(5);
    expect(shared.objects).toEqual(['a', 'b']);
    await harness.stop();
    const original = new Copied();
    await harness.run(Operator, { memo: original });
    await harness.create('c');
    await harness.advance(5);
    expect(original.objects).toEqual([]);
    expect((await harness.object('c')).status).toEqual({ create: ['copied', 'c'] });
  });

  it('should be freed with objects that vanished while nobody watched', async () => {
    class Operator {
      @OnEvent(...KEX)
      spy() {}
    }
    const harness = await OperatorHarness.start();
    const absence = new Absence();
    await harness.run(Operator, absence.options);
    await harness.create('a');
    await harness.create('b');
    await harness.advance(1);
    await absence.during(harness, () => harness.delete('a'));
    expect(harness.get(KopfOperator).objects).toBe(1);
  });
});

describe('Objects that have gone', () => {
  it('should be forgotten even if a filter fails for them, and what runs for them stops', async () => {
    let checks = 0;
    let stopped = 0;
    class Operator {
      @OnEvent(...KEX, {
        when: ({ spec }) => {
          checks++;
          return spec.items.length > 0;
        },
      })
      spy() {}
      @Daemon(...KEX)
      async accompany({ stopped: flag }: DaemonContext) {
        await flag.wait();
        stopped++;
      }
    }
    const harness = await OperatorHarness.start();
    let isAway = false;
    const operator = await harness.run(Operator, {
      watching: { clientTimeout: 10 },
      intercept: () => {
        if (isAway) throw Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED' });
        return undefined;
      },
    });
    await harness.create('a', { spec: { items: [1] } });
    await harness.advance(1);
    isAway = true;
    await harness.advance(30);
    await harness.patch('a', { metadata: { finalizers: null } });
    await harness.delete('a');
    harness.kube.expireHistory();
    isAway = false;
    await harness.advance(120);
    const checked = checks;
    await harness.advance(3600);
    expect(checks).toBe(checked);
    expect(stopped).toBe(1);
    expect(operator.objects).toBe(0);
    expect(harness.logger.messages('error')).toEqual([
      expect.stringMatching(/\[ns\/a\] Processing has failed due to an unexpected error: .*A filter of Operator.spy/),
    ]);
  });

  it('should not be said to have lost their last handled configuration', async () => {
    class Operator {
      @OnCreate(...KEX)
      create() {}
    }
    const harness = await OperatorHarness.start();
    const absence = new Absence();
    await harness.run(Operator, absence.options);
    await harness.create('a');
    await harness.advance(1);
    await absence.during(harness, () => harness.delete('a'));
    expect(harness.get(KopfOperator).objects).toBe(0);
    expect(harness.logger.messages('warn').join()).not.toContain('last handled configuration');
  });
});
