import { OperatorHarness } from '../../../test/support/operators/operator.harness.js';
import { DaemonsOperator } from '../src/daemons/daemons.operator.js';

describe('The gallery of daemons', () => {
  it('should follow the target as it moves, and stop with the object', async () => {
    const harness = await OperatorHarness.start();
    const operator = await harness.run(DaemonsOperator);
    const { metadata } = await harness.create('a', { spec: { target: 3 } });
    const { levels } = harness.get(DaemonsOperator);
    await harness.advance(25);
    expect(levels.get(metadata.uid!)).toBe(3);
    await harness.patch('a', { spec: { target: 2, pace: 1 } });
    await harness.advance(60);
    expect(levels.get(metadata.uid!)).toBe(2);
    await harness.delete('a');
    await harness.advance(1);
    expect([await harness.read('a'), operator.daemons]).toEqual([undefined, 0]);
  });

  it('should stop and start by an annotation', async () => {
    const harness = await OperatorHarness.start();
    const operator = await harness.run(DaemonsOperator);
    await harness.create('a', { spec: { target: 100 } });
    await harness.advance(1);
    expect(operator.daemons).toBe(1);
    await harness.patch('a', { metadata: { annotations: { paused: 'yes' } } });
    await harness.advance(1);
    expect(operator.daemons).toBe(0);
    await harness.patch('a', { metadata: { annotations: { paused: 'no' } } });
    await harness.advance(1);
    expect(operator.daemons).toBe(1);
  });
});
