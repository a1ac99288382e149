import { configMap } from '../../e2e/relations/relations.operator.js';
import { OperatorHarness } from '../../support/operators/operator.harness.js';
import { ShelfOperator } from './server-side-apply.example.js';

describe('The examples of server-side apply', () => {
  it('should create, correct, and prune the children', async () => {
    const harness = await OperatorHarness.start();
    await harness.run(ShelfOperator);
    await harness.create('a', { spec: { books: { one: '1', two: '2' } } });
    await harness.advance(5);
    const textOf = async (name: string) => ((await harness.send('GET', configMap(name))).data as { text: string }).text;
    expect([await textOf('a-one'), await textOf('a-two')]).toEqual(['1', '2']);
    const { labels, annotations } = (await harness.object('a')).metadata;
    const { 'applyset.kubernetes.io/part-of': id } = (await harness.send('GET', configMap('a-one'))).metadata.labels!;
    expect(labels).toMatchObject({ 'applyset.kubernetes.io/id': id });
    expect(annotations).toMatchObject({ 'applyset.kubernetes.io/contains-group-kinds': 'ConfigMap' });

    await harness.send('PATCH', configMap('a-one'), { data: { text: 'drifted', own: 'x' } });
    await harness.send('DELETE', configMap('a-two'));
    await harness.advance(5);
    expect([await textOf('a-one'), await textOf('a-two')]).toEqual(['1', '2']);

    await harness.patch('a', { spec: { books: { two: null } } });
    await harness.advance(5);
    await expect(textOf('a-two')).rejects.toThrow('404');
    expect(harness.logger.messages('log')).toContain('[ns/a] a-two is not wanted any more.');
    // Nothing is written any more.
    const { length } = harness.writes;
    await harness.advance(60);
    expect(harness.writes).toHaveLength(length);
  });
});
