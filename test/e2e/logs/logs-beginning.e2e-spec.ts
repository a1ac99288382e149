import type { Clock, KubeRequest } from 'nestjs-kopf';
import { errorResponse, OperatorHarness } from '../../support/operators/operator.harness.js';
import { failOnUnhandledRejections } from '../../support/runner/unhandled.rejections.js';
import { recordingOperator, runPod } from './logs.operator.js';

/** A clock that differs by some seconds. */
function shifted(clock: Clock, seconds: number): Clock {
  return {
    now: () => clock.now() + seconds * 1000,
    monotonic: () => clock.monotonic(),
    setTimer: (callback, milliseconds) => clock.setTimer(callback, milliseconds),
  };
}

describe('handlers of logs from now on', () => {
  failOnUnhandledRejections();
  let harness: OperatorHarness;
  const print = async (text: string, seconds = 0.1): Promise<void> => {
    harness.kube.pods.print('web', text);
    await harness.advance(seconds);
  };

  beforeEach(async () => {
    harness = await OperatorHarness.start({ definition: false, kube: { pods: true } });
  });

  it('should leave out what was written in the same second before the operator has started', async () => {
    const { Operator, messages } = recordingOperator();
    await runPod(harness, 'web');
    await harness.advance(59.1);
    await print('before\n');
    await print('before\nbefore\n');
    await harness.run(Operator);
    await print('after\nafter\n');
    expect(messages()).toEqual(['after', 'after']);
  });

  it('should leave out what a container has written that has started in the same second', async () => {
    const { Operator, messages } = recordingOperator();
    await runPod(harness, 'web');
    await print('before\n', 0);
    await harness.run(Operator);
    await print('after\n');
    expect(messages()).toEqual(['after']);
  });

  it('should take a line that is not complete for one from before', async () => {
    const { Operator, messages } = recordingOperator();
    await runPod(harness, 'web');
    await harness.advance(60);
    await print('bef');
    await harness.run(Operator);
    await print('ore\nafter\n');
    expect(messages()).toEqual(['after']);
  });

  it.each(['cut', 'end'] as const)(
    'should neither lose lines nor take them twice when the first streams %s',
    async (damage) => {
      const { Operator, messages } = recordingOperator();
      await runPod(harness, 'web');
      await harness.advance(60);
      for (let count = 0; count < 3; count++) await print('before\n', 0.05);
      await harness.run(Operator);
      harness.kube.faults.damageLogs(damage);
      await harness.advance(5);
      await print('one\n');
      harness.kube.faults.damageLogs(damage);
      await print('two\n', 5);
      harness.kube.faults.damageLogs(damage);
      await harness.advance(5);
      await print('three\n');
      expect(messages()).toEqual(['one', 'two', 'three']);
    },
  );

  it.each([-7200, 7200])('should begin at the end of the log if the clocks differ by %i s', async (seconds) => {
    const { Operator, messages } = recordingOperator();
    await runPod(harness, 'web');
    await harness.advance(60);
    await print('before\n');
    await harness.run(Operator, { clock: shifted(harness.clock, seconds) });
    await print('after\n', 5);
    await runPod(harness, 'later');
    harness.kube.pods.print('later', 'first\n');
    await harness.advance(5);
    expect(messages()).toEqual(['after', 'first']);
  });

  it('should leave out the run before a restart, and read the next ones from their first lines', async () => {
    const { Operator, messages } = recordingOperator();
    await runPod(harness, 'web');
    await harness.advance(60);
    await print('before\n');
    await harness.kube.pods.fail('web');
    await harness.advance(30);
    await print('second run\n');
    await harness.run(Operator);
    await print('after\n');
    await harness.kube.pods.fail('web');
    await print('third run\n', 30);
    expect(messages()).toEqual(['after', 'third run']);
  });

  it('should leave out what a run has written that ends before its log can be read', async () => {
    const { Operator, messages } = recordingOperator();
    let isBroken = true;
    const intercept = ({ path }: KubeRequest) =>
      isBroken && path.includes('/log?') ? errorResponse(500, 'InternalError', 'the node is away') : undefined;
    await runPod(harness, 'web');
    await harness.advance(60);
    await print('before\n');
    await harness.run(Operator, { intercept });
    await harness.advance(5);
    await harness.kube.pods.fail('web');
    await harness.advance(30);
    isBroken = false;
    await harness.advance(60);
    await print('after\n');
    expect(messages()).toEqual(['after']);
  });

  it('should read all that comes if nothing was written before', async () => {
    const { Operator, messages } = recordingOperator();
    await runPod(harness, 'web');
    await harness.advance(60);
    await harness.run(Operator);
    await print('one\n');
    harness.kube.faults.damageLogs('cut');
    await print('two\n', 5);
    expect(messages()).toEqual(['one', 'two']);
  });

  it('should begin at the end of pods that a watch with a selector shows later', async () => {
    const { Operator, messages } = recordingOperator({ selector: { labels: 'app=web' } });
    await runPod(harness, 'web');
    await print('before\n');
    await harness.advance(60);
    await harness.run(Operator);
    await harness.send('PATCH', '/api/v1/namespaces/ns/pods/web', { metadata: { labels: { app: 'web' } } });
    await harness.advance(1);
    await print('after\n');
    expect(messages()).toEqual(['after']);
  });
});
