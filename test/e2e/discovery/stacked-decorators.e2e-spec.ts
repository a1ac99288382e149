import { OnCreate, PRESENT, type ChangeContext } from 'nestjs-kopf';
import { KEX, OperatorHarness } from '../../support/operators/operator.harness.js';

describe('Handlers with several decorators', () => {
  it('should be called from the lowest of their decorators to the topmost one, as in Kopf', async () => {
    const called: unknown[] = [];
    class Operator {
      @OnCreate(...KEX, { id: 'top', param: 'top' })
      @OnCreate(...KEX, { id: 'middle', param: 'middle' })
      @OnCreate(...KEX, { id: 'bottom', param: 'bottom' })
      create({ param }: ChangeContext) {
        called.push(param);
      }
      @OnCreate(...KEX)
      next() {
        called.push('next');
      }
    }
    const harness = await OperatorHarness.start();
    await harness.run(Operator);
    await harness.create('a');
    await harness.advance(5);
    expect(called).toEqual(['bottom', 'middle', 'top', 'next']);
  });

  it('should have the options of the lowest of their decorators that matches, if several have one id', async () => {
    const called: unknown[] = [];
    class Operator {
      @OnCreate(...KEX, { retries: 5, backoff: 1, param: 'top' })
      @OnCreate(...KEX, { retries: 2, backoff: 1, param: 'bottom' })
      @OnCreate(...KEX, { param: 'filtered', labels: { none: PRESENT } })
      create({ param, retry }: ChangeContext) {
        called.push([param, retry]);
        throw new Error('never');
      }
    }
    const harness = await OperatorHarness.start();
    await harness.run(Operator);
    await harness.create('a');
    await harness.advance(60);
    expect(called).toEqual([
      ['bottom', 0],
      ['bottom', 1],
    ]);
  });
});
