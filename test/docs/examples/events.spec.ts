import type { KubeRequest } from 'nestjs-kopf';
import { startWithDisks } from '../../support/operators/disks.js';
import { errorResponse, OperatorHarness } from '../../support/operators/operator.harness.js';
import { ChildrenOperator, logsAsEvents, PatientOperator, ReportingOperator } from './events.example.js';
import { StrictOperator } from './errors.example.js';

describe('The examples of events', () => {
  let harness: OperatorHarness;

  beforeEach(async () => {
    harness = await startWithDisks();
  });

  const events = async () =>
    (await harness.events())
      .map(({ type, reason, message, involvedObject }) => [
        (involvedObject as { name: string }).name,
        type,
        reason,
        message,
      ])
      .sort();

  it('should be about the object being handled', async () => {
    await harness.run(ReportingOperator);
    await harness.create('a');
    await harness.advance(1);
    expect(await events()).toEqual([
      ['a', 'Error', 'Failed', 'The work has failed: nothing is left'],
      ['a', 'Normal', 'HalfDone', 'The work is half done.'],
      ['a', 'Normal', 'Started', 'The work begins.'],
      ['a', 'Warning', 'Slow', 'The work takes long.'],
    ]);
  });

  it('should be tried again as they say', async () => {
    const intercept = ({ path }: KubeRequest) =>
      path.endsWith('/events') && harness.clock.monotonic() < until
        ? errorResponse(403, 'Forbidden', 'not yet')
        : undefined;
    const until = harness.clock.monotonic() + 60_000;
    await harness.run(PatientOperator, { intercept });
    await harness.create('a');
    await harness.advance(80);
    expect(await events()).toEqual([['a', 'Warning', 'Important', 'Look at this.']]);
  });

  it('should be about other objects', async () => {
    await harness.run(ChildrenOperator);
    await harness.create('a');
    const pod = { metadata: { name: 'web' }, spec: { containers: [{ name: 'main', image: 'image' }] } };
    await harness.send('POST', '/api/v1/namespaces/ns/pods', pod);
    await harness.advance(1);
    expect(await events()).toEqual([
      ['a-child', 'Normal', 'Made', 'It was made for a.'],
      ['web', 'Warning', 'Unlabelled', 'The label app is missing.'],
    ]);
  });

  it('should be made of log lines', async () => {
    await harness.run(StrictOperator, logsAsEvents);
    await harness.create('a', { spec: {} });
    await harness.advance(1);
    const message = "Handler 'create' failed permanently: Size must be set. Got undefined.";
    expect(await events()).toEqual([['a', 'Error', 'Logging', message]]);
  });
});
