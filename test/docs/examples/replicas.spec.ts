import { OperatorHarness, type OperatorOptions } from '../../support/operators/operator.harness.js';
import { BackupOperator, Backups, ExampleOperator, replicas } from './replicas.example.js';

describe('The examples of leases', () => {
  let harness: OperatorHarness;

  beforeEach(async () => {
    harness = await OperatorHarness.start();
  });

  function run(identity: string, options: OperatorOptions) {
    return harness.run(ExampleOperator, { ...options, peering: { identity } });
  }

  it('should let the replica with the Lease work', async () => {
    const one = await run('one', replicas);
    const two = await run('two', replicas);
    expect([one.state, two.state]).toEqual(['running', 'paused']);
    await harness.stop(one);
    await harness.advance(5);
    expect(two.state).toBe('running');
  });

  it('should end what is under way when the Lease is lost', async () => {
    const signals: AbortSignal[] = [];
    const backups: Backups = {
      make: (_name, { signal }) => {
        signals.push(signal);
        return new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)));
      },
    };
    await harness.run(ExampleOperator, {
      ...replicas,
      providers: [BackupOperator, { provide: Backups, useValue: backups }],
      peering: { identity: 'one' },
    });
    await harness.create('a');
    await harness.advance(1);
    await harness.patch('a', { spec: { field: 'v2' } });
    await harness.advance(1);
    expect(signals.map(({ aborted }) => aborted)).toEqual([false]);
    await harness.kube.faults.goDown();
    await harness.advance(15);
    expect(signals.map(({ aborted }) => aborted)).toEqual([true]);
    await harness.kube.faults.comeBack();
  });
});
