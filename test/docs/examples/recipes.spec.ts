import { OnCreate } from 'nestjs-kopf';
import { OperatorHarness } from '../../support/operator.harness.js';
import { OnceOperator, ParentOperator } from './tips.example.js';

describe('The examples of tips', () => {
  it('should exclude handlers for ever', async () => {
    const harness = await OperatorHarness.start();
    await harness.run(OnceOperator);
    await harness.create('a');
    await harness.advance(5);
    await harness.patch('a', { spec: { field: 'v2' } });
    await harness.advance(5);
    await harness.stop();
    await harness.run(OnceOperator);
    await harness.patch('a', { spec: { field: 'v3' } });
    await harness.advance(5);
    const lines = harness.logger.messages();
    expect(lines.filter((line) => line.includes('Never call'))).toHaveLength(1);
    expect(lines.filter((line) => line.includes("Daemon 'monitor' succeeded"))).toHaveLength(1);
  });

  it('should tell parents of their children', async () => {
    class Creating {
      @OnCreate('kopfexamples.kopf.dev')
      create() {}
    }
    const harness = await OperatorHarness.start({ kube: { pods: true } });
    await harness.run([ParentOperator, Creating]);
    await harness.create('a');
    await harness.advance(1);
    const pod = { metadata: { name: 'p', labels: { parent: 'a' } }, spec: { containers: [{ name: 'c', image: 'i' }] } };
    await harness.send('POST', '/api/v1/namespaces/ns/pods', pod);
    await harness.advance(30);
    expect(harness.logger.messages('log')).toContain('[ns/a] The children are {"p":"Running"}.');
  });
});
