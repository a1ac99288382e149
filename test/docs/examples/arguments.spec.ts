import { OperatorHarness } from '../../support/operators/operator.harness.js';
import {
  AccountOperator,
  ClaimOperator,
  ConfigMapOperator,
  CountingOperator,
  describeDiff,
  DescribingOperator,
  PatchingOperator,
} from './arguments.example.js';

describe('The examples of arguments', () => {
  it('should read the context', async () => {
    const harness = await OperatorHarness.start();
    await harness.run(ClaimOperator);
    await harness.create('a', { spec: { size: '1Gi' } });
    await harness.advance(1);
    expect(harness.logger.messages('log')).toContain('[ns/a] ns/a wants 1Gi (attempt 1).');
    expect((await harness.object('a')).status).toEqual({ create: { volume: 'volume-of-a' } });
  });

  it('should copy the context', async () => {
    const harness = await OperatorHarness.start();
    await harness.run(DescribingOperator);
    await harness.create('a', { spec: { size: '1Gi' } });
    await harness.advance(1);
    expect(harness.logger.messages('log')).toContain('[ns/a] Hello a from ns: 1Gi.');
  });

  it('should read bodies without a spec', async () => {
    const harness = await OperatorHarness.start();
    await harness.run(ConfigMapOperator);
    const path = '/api/v1/namespaces/ns/configmaps';
    await harness.send('POST', path, { metadata: { name: 'c' }, data: { mode: 'slow' } });
    await harness.advance(1);
    await harness.send('PATCH', `${path}/c`, { data: { mode: 'fast' } });
    await harness.advance(1);
    expect(harness.logger.messages('log')).toContain('[ns/c] The mode is fast.');
  });

  it('should work with integers of any size', async () => {
    const harness = await OperatorHarness.start();
    await harness.run(AccountOperator);
    await harness.create('small', { spec: { id: 7 } });
    await harness.create('large', { spec: { id: 9007199254740993n } });
    await harness.advance(1);
    expect(harness.logger.messages('log')).toContain(
      '[ns/large] The account 9007199254740993 is created: {"id":9007199254740993}.',
    );
    expect((await harness.object('small')).status).toEqual({ create: { next: 8 } });
    expect((await harness.object('large')).status).toEqual({ create: { next: 9007199254740994n } });
  });

  it('should patch all parts of an object', async () => {
    const harness = await OperatorHarness.start();
    await harness.run(PatchingOperator);
    await harness.create('a', { spec: { items: ['one'] }, metadata: { annotations: { 'not-needed': 'x' } } });
    await harness.advance(1);
    const { metadata, spec, status, data } = await harness.object('a');
    expect(status).toEqual({ phase: 'Ready' });
    expect(metadata.labels).toEqual({ managed: 'yes' });
    expect(metadata.annotations).not.toHaveProperty('not-needed');
    expect(data).toEqual({ key: 'value' });
    expect(spec).toEqual({ items: ['one', 'another'] });
  });

  it('should pass parameters', async () => {
    const harness = await OperatorHarness.start();
    await harness.run(CountingOperator);
    await harness.create('a', { spec: { field: 'v1', items: [] } });
    await harness.advance(1);
    await harness.patch('a', { spec: { field: 'v2', items: ['one'] } });
    await harness.advance(5);
    expect((await harness.object('a')).status).toEqual({ counter: 11 });
  });

  it('should describe differences', () => {
    const diff = [
      ['add', [], null, 1],
      ['change', ['spec', 'field'], 'a', 'b'],
      ['remove', ['spec', 'other'], 2, null],
    ] as const;
    expect(describeDiff(diff)).toEqual([
      'all of it appeared as 1',
      'spec.field was "a" and is "b"',
      'spec.other went, it was 2',
    ]);
  });
});
