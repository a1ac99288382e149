import { OperatorHarness } from '../../../test/support/operators/operator.harness.js';
import { IndexingOperator } from '../src/indexing/indexing.operator.js';

describe('The gallery of indexing', () => {
  it('should give each host to one object only, also to those that were there before', async () => {
    const harness = await OperatorHarness.start();
    await harness.create('a', { spec: { host: 'one' } });
    await harness.run(IndexingOperator);
    await harness.advance(1);
    await harness.create('b', { spec: { host: 'one' } });
    await harness.create('c', { spec: { host: 'two' } });
    await harness.advance(1);
    const accepted = async () =>
      Promise.all(['a', 'b', 'c'].map(async (name) => (await harness.object(name)).status?.accepted));
    expect(await accepted()).toEqual([true, false, true]);
    expect(harness.logger.messages('error').join()).toContain('The host one belongs to a.');
    await harness.delete('a');
    await harness.advance(1);
    await harness.patch('c', { spec: { host: 'three' } });
    await harness.patch('b', { spec: { host: 'two' } });
    await harness.advance(1);
    expect((await harness.object('b')).status?.accepted).toBe(true);
  });
});
