import { OperatorHarness } from '../../support/operators/operator.harness.js';
import {
  LimitedOperator,
  ModesOperator,
  PatientOperator,
  StrictOperator,
  TranslatingOperator,
} from './errors.example.js';

describe('The examples of errors', () => {
  let harness: OperatorHarness;

  beforeEach(async () => {
    harness = await OperatorHarness.start();
  });

  it('should retry temporary errors after their delay', async () => {
    await harness.run(PatientOperator);
    await harness.create('a');
    await harness.advance(89);
    expect(harness.logger.messages('log')).not.toContain('[ns/a] The data is ready.');
    await harness.advance(2);
    expect(harness.logger.messages('log')).toContain('[ns/a] The data is ready.');
  });

  it('should not retry permanent errors', async () => {
    await harness.run(StrictOperator);
    await harness.create('a', { spec: {} });
    await harness.advance(3600);
    expect(harness.logger.messages('error')).toEqual([
      "[ns/a] Handler 'create' failed permanently: Size must be set. Got undefined.",
    ]);
  });

  it('should treat arbitrary errors by their mode', async () => {
    await harness.run(ModesOperator);
    await harness.create('a');
    await harness.advance(3600);
    expect(harness.logger.messages('error')).toHaveLength(2);
    expect(harness.logger.messages('log')).toContain('[ns/a] Creation is processed: 1 succeeded; 1 failed.');
  });

  it('should let the class and the handler decide on errors', async () => {
    await harness.run(TranslatingOperator);
    await harness.create('quota', { spec: { size: 11 } });
    await harness.create('invalid', { spec: { size: 0 } });
    await harness.create('fine', { spec: { size: 1 } });
    await harness.advance(10);
    await harness.patch('fine', { spec: { size: 2 } });
    await harness.advance(601);
    expect(harness.logger.messages('error')).toEqual([
      "[ns/quota] Handler 'create' failed temporarily: There is no room.",
      "[ns/invalid] Handler 'create' failed permanently: The size is 0.",
      "[ns/quota] Handler 'create' failed temporarily: There is no room.",
    ]);
    expect((await harness.object('invalid')).status).toEqual({ phase: 'Invalid' });
    expect(harness.logger.messages('log')).toContain('[ns/fine] Updating is processed: 1 succeeded; 0 failed.');
  });

  it('should limit the attempts and the time', async () => {
    await harness.run(LimitedOperator);
    await harness.create('a');
    await harness.advance(3600);
    const lines = harness.logger.messages('log');
    expect(lines.filter((line) => line.includes('attempt'))).toHaveLength(3);
    expect(lines).toContain('[ns/a] The time is over.');
    expect(lines).toContain('[ns/a] Creation is processed: 0 succeeded; 2 failed.');
  });
});
