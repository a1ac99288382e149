import { startWithDisks } from '../../support/operators/disks.js';
import { OperatorHarness } from '../../support/operators/operator.harness.js';
import { FailingOperator, NightlyOperator, PingOperator, QuietOperator } from './timers.example.js';

describe('The examples of timers', () => {
  let harness: OperatorHarness;

  beforeEach(async () => {
    harness = await startWithDisks();
  });

  it('should be called in intervals', async () => {
    await harness.run(PingOperator);
    await harness.create('a');
    await harness.advance(1);
    const before = (await harness.object('a')).status;
    expect(before.ping).toBe('a is there');
    await harness.advance(60);
    const after = (await harness.object('a')).status;
    expect(Date.parse(after.pinged) - Date.parse(before.pinged)).toBe(60_000);
  });

  it('should wait for quiet objects', async () => {
    await harness.run(QuietOperator);
    await harness.create('a');
    await harness.advance(500);
    await harness.patch('a', { spec: { tier: 'fast' } });
    await harness.advance(599);
    const lines = () => harness.logger.messages('log').filter((line) => line.includes('Nothing'));
    expect(lines()).toEqual([]);
    await harness.advance(12);
    expect(lines()).toHaveLength(2);
    await harness.patch('a', { spec: { tier: 'faster' } });
    await harness.advance(599);
    expect(lines()).toHaveLength(2);
  });

  it('should be called at the times of a cron expression', async () => {
    await harness.run(NightlyOperator);
    await harness.create('a');
    // The first day of 2021 is a Friday.
    await harness.advance(3600);
    expect((await harness.object('a')).status).toBeUndefined();
    await harness.advance(3600);
    expect((await harness.object('a')).status.backedUpAt).toBe('2021-01-01T02:00:00.000Z');
  });

  it('should follow the delays of errors', async () => {
    await harness.run(FailingOperator);
    await harness.create('a');
    await harness.advance(26);
    const lines = harness.logger.messages('log').filter((line) => line.includes('Attempt'));
    expect(lines.map((line) => line.at(-1))).toEqual(['1', '2', '3', '4', '1']);
  });
});
