import 'class-transformer';
import { startWithDisks } from '../../support/operators/disks.js';
import { OperatorHarness } from '../../support/operators/operator.harness.js';
import {
  AccountOperator,
  Audit,
  AuditedOperator,
  DiskOperator,
  ConfigMapOperator,
  CountingOperator,
  describeDiff,
  DescribingOperator,
  GrantingOperator,
  PatchingOperator,
  SchemaOperator,
  SiblingsOperator,
  ValidatedOperator,
} from './arguments.example.js';

describe('The examples of arguments', () => {
  it('should read the context', async () => {
    const harness = await startWithDisks();
    await harness.run(DiskOperator);
    await harness.create('a', { spec: { size: '1Gi' } });
    await harness.advance(1);
    expect(harness.logger.messages('log')).toContain('[ns/a] ns/a wants 1Gi (attempt 1).');
    expect((await harness.object('a')).status).toEqual({ create: { volume: 'volume-of-a' } });
  });

  it('should copy the context', async () => {
    const harness = await startWithDisks();
    await harness.run(DescribingOperator);
    await harness.create('a', { spec: { size: '1Gi' } });
    await harness.advance(1);
    expect(harness.logger.messages('log')).toContain('[ns/a] Hello a from ns: 1Gi.');
  });

  it('should read bodies without a spec', async () => {
    const harness = await startWithDisks();
    await harness.run(ConfigMapOperator);
    const path = '/api/v1/namespaces/ns/configmaps';
    await harness.send('POST', path, { metadata: { name: 'c' }, data: { mode: 'slow' } });
    await harness.advance(1);
    await harness.send('PATCH', `${path}/c`, { data: { mode: 'fast' } });
    await harness.advance(1);
    expect(harness.logger.messages('log')).toContain('[ns/c] The mode is fast.');
  });

  it('should work with integers of any size', async () => {
    const harness = await startWithDisks();
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
    const harness = await startWithDisks();
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
    const harness = await startWithDisks();
    await harness.run(CountingOperator);
    await harness.create('a', { spec: { tier: 'slow', items: [] } });
    await harness.advance(1);
    await harness.patch('a', { spec: { tier: 'fast', items: ['one'] } });
    await harness.advance(5);
    expect((await harness.object('a')).status).toEqual({ counter: 11 });
  });

  it('should describe differences', () => {
    const diff = [
      ['add', [], null, 1],
      ['change', ['spec', 'tier'], 'a', 'b'],
      ['remove', ['spec', 'other'], 2, null],
    ] as const;
    expect(describeDiff(diff)).toEqual([
      'all of it appeared as 1',
      'spec.tier was "a" and is "b"',
      'spec.other went, it was 2',
    ]);
  });
});

// The validator imports it when it is needed first; virtual time does not wait for that.

describe('The examples of parameters', () => {
  let harness: OperatorHarness;

  beforeEach(async () => {
    harness = await startWithDisks();
  });

  const create = async (spec: object): Promise<void> => {
    await harness.create('a', { spec });
    await harness.advance(1);
  };
  const statusOf = async () => (await harness.object('a')).status;
  const failure = (): string => harness.logger.messages('error').join();

  it('should give parts of the context', async () => {
    await harness.run(GrantingOperator);
    await create({});
    expect(await statusOf()).toEqual({ granted: 1 });
    await harness.patch('a', { spec: { size: '2' } });
    await harness.advance(61);
    const lines = harness.logger.messages('log');
    for (const line of ['[ns/a] a wants 1.', '[ns/a] spec.size: add', '[ns/a] a is still there.']) {
      expect(lines).toContain(line);
    }
  });

  it('should give indices, what the application reads itself, and the context', async () => {
    await harness.run(SiblingsOperator);
    await create({ owner: 'me' });
    await harness.patch('a', { spec: { owner: 'you' } });
    await harness.advance(5);
    const events = await harness.events();
    expect(events.map(({ message }) => message)).toEqual(['Generation 2 has 1 of you.']);
  });

  it('should validate by class-validator', async () => {
    await harness.run(ValidatedOperator);
    await create({ size: 0, owner: 7 });
    expect(failure()).toContain('permanently: spec.size must not be less than 1; spec.owner must be a string');
  });

  it('should validate by a schema', async () => {
    await harness.run(SchemaOperator);
    await create({ size: 'big' });
    expect(failure()).toContain("'create' failed permanently: spec.size: must be a positive number");
  });

  it('should make instances for each invocation', async () => {
    await harness.run([AuditedOperator, Audit]);
    await create({});
    expect(harness.logger.messages('log')).toContain('[ns/a] Audit of ns/a: created');
  });
});
