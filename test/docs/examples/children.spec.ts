import { configMap, createChild } from '../../e2e/relations/relations.operator.js';
import { OperatorHarness } from '../../support/operators/operator.harness.js';
import { ConfigurationOperator, PartOperator } from './children.example.js';

describe('The examples of children', () => {
  it('should summarize the children in the parent', async () => {
    const harness = await OperatorHarness.start({ statusSubresource: true });
    await harness.run(ConfigurationOperator);
    const a = await harness.create('a', { spec: { parts: 2 } });
    await createChild(harness, 'x', a);
    await harness.advance(2);
    expect((await harness.object('a')).status).toMatchObject({
      keys: 0,
      conditions: [{ type: 'Ready', status: 'False' }, {}],
    });
    await createChild(harness, 'y', a);
    await harness.send('PATCH', configMap('y'), { data: { key: 'value' } });
    await harness.advance(2);
    expect((await harness.object('a')).status).toMatchObject({
      keys: 1,
      conditions: [{ type: 'Ready', status: 'True' }],
    });
  });

  it('should have the parent in the context of the child', async () => {
    const harness = await OperatorHarness.start();
    await harness.run(PartOperator);
    const a = await harness.create('a', { spec: { parts: 2 } });
    await createChild(harness, 'x', a);
    await harness.advance(2);
    await harness.send('PATCH', configMap('x'), { data: { key: 'value' } });
    await harness.advance(2);
    expect(harness.logger.messages('log').join('\n')).toContain('x of a has another key; 2 parts are wanted.');
  });
});
