import { OperatorHarness } from '../../../test/support/operators/operator.harness.js';
import { ActivitiesOperator } from '../src/activities/activities.operator.js';

describe('The gallery of activities', () => {
  it('should open a line before anything is handled, and close it after everything', async () => {
    const harness = await OperatorHarness.start();
    await harness.create('a');
    await harness.run(ActivitiesOperator);
    await harness.advance(1);
    const { line } = harness.get(ActivitiesOperator);
    await harness.delete('a');
    await harness.advance(1);
    expect([line!.isOpen, line!.sent]).toEqual([true, ['Hello, a!', 'Good bye, a!']]);
    await harness.stop();
    expect([line!.isOpen, line!.sent.at(-1)]).toEqual([false, 'The end.']);
  });
});
