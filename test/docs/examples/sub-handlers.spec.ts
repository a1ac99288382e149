import { OperatorHarness } from '../../support/operators/operator.harness.js';
import { ItemsOperator, OptionsOperator, StepsOperator } from './sub-handlers.example.js';

describe('The examples of sub-handlers', () => {
  it('should handle items', async () => {
    const harness = await OperatorHarness.start();
    await harness.run(ItemsOperator);
    await harness.create('a', { spec: { items: ['one', 'two'] } });
    await harness.advance(1);
    const status = { 'create/one': 'done with one', 'create/two': 'done with two' };
    expect((await harness.object('a')).status).toEqual(status);
  });

  it('should call each step until it has succeeded', async () => {
    const harness = await OperatorHarness.start();
    await harness.run(StepsOperator);
    await harness.create('a', { spec: { items: [] } });
    await harness.advance(59);
    expect(harness.logger.messages('log')).not.toContain('[ns/a] Both are made.');
    await harness.advance(3);
    const lines = harness.logger.messages('log', 'error');
    expect(lines).toContain('[ns/a] Both are made.');
    expect(lines.filter((line) => line.includes("'create/first' failed"))).toHaveLength(2);
    expect(lines.filter((line) => line.includes("'create/second' failed"))).toHaveLength(6);
  });

  it('should take options', async () => {
    const harness = await OperatorHarness.start();
    await harness.run(OptionsOperator);
    await harness.create('a', { spec: { size: 1 } });
    await harness.advance(1);
    await harness.patch('a', { spec: { size: 2 } });
    await harness.advance(1);
    expect(harness.logger.messages('log')).toContain('[ns/a] From 1 to 2.');
  });
});
