import { OnCreate, OnUpdate, TemporaryError, Timer, type ChangeContext } from 'nestjs-kopf';
import { KEX, OperatorHarness } from '../../support/operators/operator.harness.js';

class Nothing {}

class Waiting {
  @OnCreate(...KEX)
  create() {
    throw new TemporaryError('not yet', { delay: 1 });
  }
}

/** Tests of the rows in the guide's table "What is different": Python Kopf was seen to behave otherwise. */
describe('What is different from Kopf', () => {
  it.each([
    ['no change is ever handled', Nothing],
    ['a change waits to be handled', Waiting],
  ])('should count timers as idle while only the status changes, even if %s', async (_, handlers) => {
    const times: number[] = [];
    class Operator {
      @Timer(...KEX, { idle: 3, interval: 100 })
      tick() {
        times.push(harness.clock.monotonic());
      }
    }
    const harness = await OperatorHarness.start();
    await harness.run([Operator, handlers]);
    const created = harness.clock.monotonic();
    await harness.create('a');
    for (let second = 0; second < 8; second++) {
      await harness.advance(1);
      await harness.patch('a', { status: { second } });
    }
    expect(times.map((time) => Math.round((time - created) / 1000))).toEqual([3]);
  });

  it('should not have deletions wait for timers that wait for a change', async () => {
    let calls = 0;
    class Operator {
      @OnUpdate(...KEX)
      update() {}
      @Timer(...KEX, { idle: 1 })
      tick() {
        calls += 1;
      }
    }
    const harness = await OperatorHarness.start();
    await harness.run(Operator);
    await harness.create('a');
    await harness.advance(5);
    expect(calls).toBe(1);
    await harness.delete('a');
    await harness.advance(1);
    expect(await harness.read('a')).toBeUndefined();
  });

  it('should give nothing of a handler to another object of the same name', async () => {
    const seen: unknown[] = [];
    class Operator {
      @OnCreate(...KEX)
      async create({ spec, patch }: ChangeContext) {
        seen.push(spec.field);
        patch.spec.mark = spec.field;
        if (spec.field === 'first') await new Promise<void>((resolve) => harness.clock.setTimer(resolve, 3000));
        return spec.field as string;
      }
    }
    const harness = await OperatorHarness.start();
    await harness.run(Operator);
    await harness.create('a', { spec: { field: 'first' } });
    await harness.advance(1);
    await harness.delete('a');
    await harness.create('a', { spec: { field: 'second' } });
    await harness.advance(10);
    expect(seen).toEqual(['first', 'second']);
    const { spec, status } = await harness.object('a');
    expect({ spec, status }).toEqual({ spec: { field: 'second', mark: 'second' }, status: { create: 'second' } });
  });

  it('should count a patch that the API server rejects as a failure of its handler', async () => {
    const retries: number[] = [];
    class Operator {
      @OnCreate(...KEX, { retries: 2, backoff: 10 })
      create({ retry, patch }: ChangeContext) {
        retries.push(retry);
        patch.metadata.labels.x = 'not valid!';
      }
    }
    const harness = await OperatorHarness.start();
    await harness.run(Operator);
    await harness.create('a');
    await harness.advance(600);
    expect(retries).toEqual([0, 1]);
  });
});
