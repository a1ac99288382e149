import { OperatorHarness } from '../../support/operators/operator.harness.js';
import { NodesController, NodesModule, PodIndices, PodOperator } from './indexing.example.js';

describe('The examples of indexing', () => {
  it('should index pods', async () => {
    const harness = await OperatorHarness.start();
    const pod = (name: string, labels: object) =>
      harness.send('POST', '/api/v1/namespaces/ns/pods', {
        metadata: { name, labels },
        spec: { nodeName: 'node-1', containers: [{ name: `main-of-${name}`, image: 'image' }] },
      });
    await pod('one', { app: 'web' });
    await pod('two', {});
    await harness.run([PodIndices, PodOperator], { imports: [NodesModule] });
    await harness.create('a', { spec: { node: 'node-1', pod: 'one' } });
    await harness.advance(1);
    const lines = harness.logger.messages('log');
    expect(lines).toContain('[ns/a] node-1 has one, two; one has main-of-one.');
    expect(lines).toContain('[ns/a] There is one.');
    expect(lines).not.toContain('[ns/a] There is two.');
    expect(harness.get(NodesController).podsOf('node-1')).toEqual(['one', 'two']);
    await harness.send('DELETE', '/api/v1/namespaces/ns/pods/one?gracePeriodSeconds=0');
    await harness.advance(60);
    expect(harness.get(NodesController).podsOf('node-1')).toEqual(['two']);
    expect(harness.get(NodesController).podsOf('node-2')).toEqual([]);
  });
});
