import { OperatorHarness } from '../../support/operators/operator.harness.js';
import { ExchangeOperator, ResultsOperator } from './results.example.js';

describe('The examples of results', () => {
  it('should store results in the status', async () => {
    const harness = await OperatorHarness.start();
    await harness.run(ResultsOperator);
    await harness.create('a');
    await harness.advance(1);
    const describe = { title: 'This is a', since: '1970-01-01T00:00:00.000Z' };
    expect((await harness.object('a')).status).toEqual({ count: 100, describe });
  });

  it('should let handlers use the results of others', async () => {
    const harness = await OperatorHarness.start();
    await harness.run(ExchangeOperator);
    await harness.create('a');
    await harness.advance(9);
    expect((await harness.object('a')).status).toEqual({ makeVolume: { name: 'volume-of-a' } });
    await harness.advance(2);
    expect((await harness.object('a')).status).toMatchObject({ makeJob: { name: 'job-with-volume-of-a' } });
  });
});
