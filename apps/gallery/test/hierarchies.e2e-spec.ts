import { UnexpectedStatusError } from '../../../test/support/clusters/cluster.user.js';
import { OperatorHarness } from '../../../test/support/operators/operator.harness.js';
import { HierarchiesOperator } from '../src/hierarchies/hierarchies.operator.js';

const CONFIG_MAP = '/api/v1/namespaces/ns/configmaps/a';

describe('The gallery of hierarchies', () => {
  it('should make, change, and lose what the object owns', async () => {
    const harness = await OperatorHarness.start();
    await harness.run(HierarchiesOperator);
    const labels = { team: 'blue' };
    const { metadata } = await harness.create('a', { metadata: { labels } as never, spec: { settings: { x: '1' } } });
    await harness.advance(1);
    expect(await harness.send('GET', CONFIG_MAP)).toMatchObject({
      metadata: { labels, ownerReferences: [{ kind: 'KopfExample', name: 'a', uid: metadata.uid, controller: true }] },
      data: { x: '1' },
    });
    await harness.patch('a', { spec: { settings: { x: null, y: '2' } } });
    await harness.advance(1);
    expect((await harness.send('GET', CONFIG_MAP)).data).toEqual({ y: '2' });
    await harness.delete('a');
    await harness.advance(5);
    await expect(harness.send('GET', CONFIG_MAP)).rejects.toBeInstanceOf(UnexpectedStatusError);
  });
});
