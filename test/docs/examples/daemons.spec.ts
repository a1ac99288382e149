import { KopfOperator } from 'nestjs-kopf';
import { startWithDisks } from '../../support/operators/disks.js';
import { OperatorHarness } from '../../support/operators/operator.harness.js';
import { LineOperator, MonitorOperator, PhasesOperator, RestartingOperator } from './daemons.example.js';

describe('The examples of daemons', () => {
  let harness: OperatorHarness;

  beforeEach(async () => {
    harness = await startWithDisks();
  });

  const lines = () => harness.logger.messages('log').filter((line) => !/succeeded|ready:|stopped/.test(line));

  it('should see the newest state, and stop by the flag', async () => {
    await harness.run(MonitorOperator);
    await harness.create('a');
    await harness.advance(5);
    await harness.patch('a', { spec: { tier: 'fast' } });
    await harness.advance(10);
    await harness.delete('a');
    await harness.advance(1);
    expect(lines()).toEqual(['[ns/a] The tier is slow.', '[ns/a] The tier is fast.', '[ns/a] Bye.']);
    expect(await harness.read('a')).toBeUndefined();
  });

  it('should stop by the signal', async () => {
    await harness.run(LineOperator);
    await harness.create('a');
    await harness.advance(1);
    await harness.delete('a');
    await harness.advance(4);
    expect(await harness.read('a')).toBeDefined();
    await harness.advance(2);
    expect(await harness.read('a')).toBeUndefined();
    expect(lines()).toEqual(['[ns/a] The line is open.']);
    expect(harness.logger.messages('error', 'warn')).toEqual([]);
  });

  it('should start again', async () => {
    await harness.run(RestartingOperator);
    await harness.create('a');
    await harness.advance(55);
    expect(lines()).toEqual(['[ns/a] This is run 1.', '[ns/a] This is run 2.', '[ns/a] This is run 3.']);
  });

  it('should have results', async () => {
    await harness.run(PhasesOperator);
    await harness.create('a', { spec: { delay: 5 }, metadata: { labels: { watched: 'yes' } } });
    await harness.create('b');
    await harness.advance(1);
    expect(harness.get(KopfOperator).daemons).toBe(1);
    await harness.advance(20);
    const status = { phase: 'Finishing', finish: { finished: true } };
    expect((await harness.object('a')).status).toEqual(status);
    expect((await harness.object('b')).status).toBeUndefined();
  });
});
