import { OperatorHarness } from '../../../test/support/operators/operator.harness.js';
import { MemosOperator } from '../src/memos/memos.operator.js';

describe('The gallery of memos', () => {
  it('should count the changes of each object, and of all', async () => {
    const harness = await OperatorHarness.start();
    await harness.run(MemosOperator);
    for (const name of ['a', 'b']) await harness.create(name);
    await harness.advance(1);
    await harness.patch('a', { spec: { field: 'v2' } });
    await harness.advance(1);
    expect((await harness.object('a')).status).toEqual({ changes: 2 });
    expect((await harness.object('b')).status).toEqual({ changes: 1 });
    const [last] = harness.logger.messages('log').filter((line) => line.includes('This is change 2'));
    expect(last).toContain('This is change 2 of the object, and 3 of all.');
  });
});
