import { OperatorHarness } from '../../../test/support/operators/operator.harness.js';
import { EventsOperator } from '../src/events/events.operator.js';

describe('The gallery of events', () => {
  it('should note what happens', async () => {
    const harness = await OperatorHarness.start();
    await harness.create('old', { spec: { size: 1 } });
    await harness.run(EventsOperator);
    await harness.create('new', { spec: { size: 1 } });
    await harness.advance(1);
    await harness.delete('new');
    await harness.advance(1);
    const { history } = harness.get(EventsOperator);
    expect(history[0]).toBe('old LISTED');
    expect(history).toContain('new ADDED');
    expect(history.at(-1)).toBe('new DELETED');
  });

  it('should tell users', async () => {
    const harness = await OperatorHarness.start();
    await harness.run(EventsOperator);
    await harness.create('a', { spec: {} });
    await harness.advance(1);
    const events = await harness.events();
    expect(events.map(({ type, reason }) => `${type} ${reason}`).sort()).toEqual([
      'Audit Seen',
      'Normal Created',
      'Warning NoSize',
    ]);
  });
});
