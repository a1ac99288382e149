import { OperatorHarness } from '../../../test/support/operators/operator.harness.js';
import { FiltersOperator } from '../src/filters/filters.operator.js';

describe('The gallery of filters', () => {
  let harness: OperatorHarness;
  let calls: string[];

  beforeEach(async () => {
    harness = await OperatorHarness.start();
    await harness.run(FiltersOperator);
    ({ calls } = harness.get(FiltersOperator));
  });

  async function create(name: string, metadata: object, spec: object = {}): Promise<void> {
    await harness.create(name, { metadata: metadata as never, spec });
    await harness.advance(1);
  }

  it('should look at labels', async () => {
    await create('a', { labels: { team: 'blue' } });
    await create('b', { labels: { team: 'blue', ignored: 'yes' } });
    await create('c', {});
    expect(calls).toEqual(['byLabels a']);
  });

  it('should look at annotations', async () => {
    await create('a', { annotations: { size: '11' } });
    await create('b', { annotations: { size: '9' } });
    expect(calls).toEqual(['byAnnotation a']);
  });

  it('should ask functions, and combine them', async () => {
    await create('a', { labels: { checked: 'yes' } }, { version: 2 });
    await create('b', { labels: { checked: 'yes' } }, { version: 1 });
    await create('test-c', { labels: { checked: 'yes' } }, { version: 2 });
    expect(calls).toEqual(['byCallback a']);
  });

  it('should look at what has changed', async () => {
    await create('a', {}, { state: 'open' });
    await harness.patch('a', { spec: { state: 'busy' } });
    await harness.advance(1);
    await harness.patch('a', { spec: { state: 'open' } });
    await harness.advance(1);
    await harness.patch('a', { spec: { state: 'closed' } });
    await harness.advance(1);
    expect(calls).toEqual(['byTransition a']);
  });

  it('should look at fields', async () => {
    await create('a', {}, { owner: 'me' });
    await harness.patch('a', { spec: { owner: 'you' } });
    await harness.advance(1);
    expect(calls).toEqual(['byField a undefined me', 'byField a me you']);
  });

  it('should leave alone what no handler is for', async () => {
    await create('a', {});
    expect(await harness.marks('a')).toEqual([]);
    expect(harness.patchesOf('a')).toEqual([]);
  });
});
