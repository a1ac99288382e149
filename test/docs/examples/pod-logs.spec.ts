import { runPod } from '../../e2e/logs/logs.operator.js';
import { startWithDisks } from '../../support/operators/disks.js';
import { ErrorsOperator, TracesOperator } from './pod-logs.example.js';

describe('The examples of logs of pods', () => {
  it('should report errors, and join stack traces', async () => {
    const harness = await startWithDisks({ definition: false, kube: { pods: true } });
    await harness.run([ErrorsOperator, TracesOperator]);
    await runPod(harness, 'web', { labels: { app: 'web' } });
    harness.kube.pods.print('web', 'fine\nERROR no disk\nError: No.\n  at one\n  at two\n');
    await harness.advance(5);
    const [event] = (await harness.events()).filter(({ reason }) => reason === 'LoggedError');
    expect(event).toMatchObject({
      type: 'Warning',
      involvedObject: { name: 'web' },
      message: expect.stringMatching(/^no disk \(.*Z, after 0 restarts\)$/),
    });
    expect(harness.logger.messages('log').join()).toContain('web has thrown an error in 2 frames.');
  });
});
