import { OnCreate } from 'nestjs-kopf';
import { sleep } from 'kube-common';
import { KEX, OperatorHarness } from '../../support/operators/operator.harness.js';
import { currentAttempt, release, SlowAttempts } from './diagnostics.example.js';

describe('The examples of diagnostics', () => {
  afterAll(() => void release());

  it('should report slow attempts, and tell a handler which attempt it is', async () => {
    const harness = await OperatorHarness.start();
    const seen: (string | undefined)[] = [];
    class Operator {
      @OnCreate(...KEX)
      async create() {
        await sleep(harness.clock, 15);
        seen.push(currentAttempt());
      }
    }
    await harness.run(Operator, { providers: [SlowAttempts] });
    await harness.create('a');
    await harness.advance(20);
    expect(seen).toEqual(['create, attempt 1']);
    expect(harness.get(SlowAttempts).reports).toEqual(['create took 15 seconds']);
    expect(currentAttempt()).toBeUndefined();
  });
});
