import { OperatorHarness } from '../../../test/support/operators/operator.harness.js';
import { TimersOperator } from '../src/timers/timers.operator.js';

describe('The gallery of timers', () => {
  it('should check regularly, and sooner after an error', async () => {
    const harness = await OperatorHarness.start();
    await harness.run(TimersOperator);
    await harness.create('a', { spec: { healthy: true } });
    const health = async () => (await harness.object('a')).status?.health;
    await harness.advance(4);
    expect(await health()).toBeUndefined();
    await harness.advance(2);
    expect(await health()).toBe('well');
    await harness.patch('a', { spec: { healthy: false } });
    await harness.advance(60);
    expect(await health()).toBe('well');
    await harness.advance(25);
    expect(await health()).toBe('ill');
  });

  it('should archive what nobody has touched for an hour', async () => {
    const harness = await OperatorHarness.start();
    await harness.run(TimersOperator);
    await harness.create('a');
    await harness.advance(3000);
    await harness.patch('a', { spec: { field: 'v2' } });
    await harness.advance(3000);
    expect((await harness.object('a')).metadata.labels).toBeUndefined();
    await harness.advance(700);
    expect((await harness.object('a')).metadata.labels).toEqual({ archived: 'yes' });
  });
});
