import { startWithDisks } from '../../support/operators/disks.js';
import {
  CountingOperator,
  GreetingOperator,
  NodesController,
  NodesModule,
  options,
  PodIndices,
  PodOperator,
  QueueOperator,
} from './indexing.example.js';

describe('The examples of indexing', () => {
  it('should index pods', async () => {
    const harness = await startWithDisks();
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

describe('The examples of memos', () => {
  it('should be of an object', async () => {
    const harness = await startWithDisks();
    await harness.run(CountingOperator);
    await harness.create('a');
    await harness.advance(5);
    for (const tier of ['fast', 'faster']) await harness.patch('a', { spec: { tier } });
    await harness.advance(16);
    const lines = harness.logger.messages('log').filter((line) => line.includes('There were'));
    expect(lines.slice(-2)).toEqual([
      expect.stringMatching(/There were [2-9] events/),
      '[ns/a] There were 0 events in 10 seconds.',
    ]);
  });

  it('should be of the operator', async () => {
    const harness = await startWithDisks();
    const memo: { queue?: string[] } = {};
    await harness.run(QueueOperator, { memo });
    for (const name of ['a', 'b']) await harness.create(name);
    await harness.patch('a', { spec: { tier: 'fast' } });
    await harness.advance(1);
    expect(memo).toEqual({ queue: ['a', 'b'] });
  });

  it('should be of a class', async () => {
    const harness = await startWithDisks();
    await harness.run(GreetingOperator, options);
    for (const name of ['a', 'b']) await harness.create(name);
    await harness.advance(1);
    expect(options.memo.given).toEqual(['Hello, a!', 'Hello, b!']);
  });
});
