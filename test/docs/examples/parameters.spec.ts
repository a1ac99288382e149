// The validator imports it when it is needed first; virtual time does not wait for that.
import 'class-transformer';
import { OperatorHarness } from '../../support/operators/operator.harness.js';
import {
  Audit,
  AuditedOperator,
  ClaimOperator,
  SchemaOperator,
  SiblingsOperator,
  ValidatedOperator,
} from './parameters.example.js';

describe('The examples of parameters', () => {
  let harness: OperatorHarness;

  beforeEach(async () => {
    harness = await OperatorHarness.start();
  });

  const create = async (spec: object): Promise<void> => {
    await harness.create('a', { spec });
    await harness.advance(1);
  };
  const statusOf = async () => (await harness.object('a')).status;
  const failure = (): string => harness.logger.messages('error').join();

  it('should give parts of the context', async () => {
    await harness.run(ClaimOperator);
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
