import { OperatorHarness } from '../../../test/support/operators/operator.harness.js';
import { SubHandlersOperator } from '../src/sub-handlers/sub-handlers.operator.js';

describe('The gallery of sub-handlers', () => {
  it('should make each item on its own, and retry only what has failed', async () => {
    const harness = await OperatorHarness.start();
    await harness.run(SubHandlersOperator);
    await harness.create('a', { spec: { items: ['hard-one', 'two', 'three'] } });
    await harness.advance(60);
    const { attempts } = harness.get(SubHandlersOperator);
    expect([...attempts].sort()).toEqual(['hard-one', 'hard-one', 'hard-one', 'three', 'two']);
    expect((await harness.object('a')).status).toEqual({
      'make/hard-one': { attempts: 3 },
      'make/two': { attempts: 1 },
      'make/three': { attempts: 1 },
    });
    await harness.patch('a', { spec: { items: ['four'] } });
    await harness.advance(5);
    expect(attempts.at(-1)).toBe('four');
  });
});
