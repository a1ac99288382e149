import { TemporaryError } from 'nestjs-kopf';
import { OperatorHarness } from '../../support/operators/operator.harness.js';
import { failOnUnhandledRejections } from '../../support/runner/unhandled.rejections.js';
import { PODS, recordingOperator, runPod } from './logs.operator.js';

describe('handlers of logs', () => {
  failOnUnhandledRejections();
  let harness: OperatorHarness;
  const print = async (text: string, pod = 'web'): Promise<void> => {
    harness.kube.pods.print(pod, text);
    await harness.advance(0.1);
  };

  beforeEach(async () => {
    harness = await OperatorHarness.start({ definition: false, kube: { pods: true } });
  });

  it('should be called for each line, with its time, its container, and its pod', async () => {
    const { Operator, contexts, messages } = recordingOperator();
    await harness.run(Operator);
    await runPod(harness, 'web');
    await print('one\ntwo\n');
    expect(messages()).toEqual(['one', 'two']);
    expect(contexts[0].timestamp).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{9}Z$/);
    const [{ container, containerId, restartCount, name, match }] = contexts;
    expect({ container, containerId, restartCount, name, match }).toEqual({
      container: 'main',
      containerId: expect.stringMatching(/^simulated:/),
      restartCount: 0,
      name: 'web',
      match: [],
    });
    // Nothing is written to the pod, not even a finalizer.
    expect(harness.writes).toEqual([]);
  });

  it('should be called only for the pods, the containers, and the lines that are wanted', async () => {
    const { Operator, contexts } = recordingOperator({
      labels: { app: 'web' },
      container: ['main', 'side'],
      regex: /^ERROR (?<code>\d+)/i,
    });
    await harness.run(Operator);
    await runPod(harness, 'web', { labels: { app: 'web' }, containers: ['main', 'side', 'other'] });
    await runPod(harness, 'db');
    for (const pod of ['web', 'db']) await print('error 42: a\nfine\nno ERROR 1\n', pod);
    expect(contexts.map(({ name, container, groups, match }) => [name, container, groups.code, match[0]])).toEqual([
      ['web', 'main', '42', 'error 42'],
      ['web', 'side', '42', 'error 42'],
    ]);
  });

  it('should neither lose lines nor take them twice when streams break, in the middle of lines too', async () => {
    const { Operator, messages } = recordingOperator();
    await harness.run(Operator);
    await runPod(harness, 'web');
    const printed: string[] = [];
    for (const damage of ['cut', 'end', 'cut'] as const) {
      printed.push(`before ${printed.length}`, `halved ${printed.length}`);
      const [before, halved] = printed.slice(-2);
      await print(`${before}\n${halved.slice(0, 4)}`);
      expect(harness.kube.faults.damageLogs(damage)).toBe(1);
      await print(`${halved.slice(4)}\n`);
      await harness.advance(5);
    }
    expect(messages()).toEqual(printed);
  });

  it('should read the last words of a container that has restarted, and tell the runs apart', async () => {
    const { Operator, contexts } = recordingOperator();
    await harness.run(Operator);
    await runPod(harness, 'web');
    await print('first\n');
    harness.kube.faults.damageLogs('stall');
    harness.kube.pods.print('web', 'last words\n');
    await harness.kube.pods.fail('web');
    await print('second run\n');
    await harness.advance(30);
    await print('goes on\n');
    expect(contexts.map(({ message, restartCount }) => `${restartCount}: ${message}`)).toEqual([
      '0: first',
      '0: last words',
      '1: second run',
      '1: goes on',
    ]);
    expect(new Set(contexts.map(({ containerId }) => containerId)).size).toBe(2);
  });

  it('should read the log of a container that crashes again and again', async () => {
    const { Operator, contexts } = recordingOperator();
    await harness.run(Operator);
    await runPod(harness, 'web');
    for (let run = 0; run < 4; run++) {
      harness.kube.pods.print('web', `run ${run}\n`);
      await harness.kube.pods.fail('web');
      await harness.advance(400);
    }
    expect(contexts.map(({ message, restartCount }) => `${restartCount}: ${message}`)).toEqual([
      '0: run 0',
      '1: run 1',
      '2: run 2',
      '3: run 3',
    ]);
  });

  it('should not take what the node says of a log for a line of it', async () => {
    const { Operator, messages } = recordingOperator();
    let answers = 1;
    await harness.run(Operator, {
      intercept: ({ path }) => {
        if (!path.includes('/log?') || answers-- <= 0) return undefined;
        const text = 'unable to retrieve container logs for containerd://one\n';
        return {
          status: 200,
          headers: {},
          text: () => Promise.resolve(text),
          async *chunks() {
            yield Buffer.from(text);
          },
        };
      },
    });
    await runPod(harness, 'web');
    await print('line\n');
    await harness.advance(5);
    expect(messages()).toEqual(['line']);
  });

  it('should open a stream again that has fallen silent, as after a rotation', async () => {
    const { Operator, messages } = recordingOperator();
    await harness.run(Operator, { logs: { silenceTimeout: 60 } });
    await runPod(harness, 'web');
    await print('old file\n');
    harness.kube.pods.rotateLog('web', { losesFollowers: true });
    await print('new file\n');
    expect(messages()).toEqual(['old file']);
    await harness.advance(70);
    await print('goes on\n');
    expect(messages()).toEqual(['old file', 'new file', 'goes on']);
  });

  it('should begin with what comes, or where the option says', async () => {
    await runPod(harness, 'web');
    await print('old\n');
    await harness.advance(60);
    const now = recordingOperator();
    const start = recordingOperator({ since: 'start', id: 'start' });
    const ago = recordingOperator({ since: 30, id: 'ago' });
    await print('recent\n');
    await harness.advance(10);
    await harness.run([now.Operator, start.Operator, ago.Operator]);
    await harness.advance(1);
    await print('new\n');
    expect([now, start, ago].map(({ messages }) => messages())).toEqual([
      ['new'],
      ['old', 'recent', 'new'],
      ['recent', 'new'],
    ]);
  });

  it('should join lines, and take a message as complete after a while', async () => {
    const { Operator, messages } = recordingOperator({ multiline: { start: /^\S/, maxLines: 3, timeout: 2 } });
    await harness.run(Operator);
    await runPod(harness, 'web');
    await print('Error: a\n  at b\n');
    await print('  at c\n  at d\nInfo\n');
    expect(messages()).toEqual(['Error: a\n  at b\n  at c', '  at d']);
    await harness.advance(3);
    expect(messages().at(-1)).toBe('Info');
  });

  it('should go on until the containers of a deleted pod have ended', async () => {
    const { Operator, messages } = recordingOperator();
    await harness.run(Operator);
    harness.kube.pods.script('web', { stopSeconds: 20 });
    await runPod(harness, 'web');
    await harness.send('DELETE', `${PODS}/web`);
    await harness.advance(5);
    await print('shutting down\n');
    await harness.advance(60);
    expect(messages()).toEqual(['shutting down']);
  });

  it('should retry a message as its error says, with those after it waiting, and give up on other errors', async () => {
    let failures = 0;
    const { Operator, messages } = recordingOperator({}, ({ message }) => {
      if (message === 'later' && failures++ === 0) throw new TemporaryError('Not yet.', { delay: 5 });
      if (message === 'never') throw new Error('No.');
    });
    await harness.run(Operator);
    await runPod(harness, 'web');
    await print('later\nnever\nlast\n');
    expect(messages()).toEqual(['later']);
    await harness.advance(6);
    expect(messages()).toEqual(['later', 'later', 'never', 'last']);
  });

  it('should go on where it was when the operator has paused', async () => {
    const { Operator, messages } = recordingOperator();
    const operator = await harness.run(Operator);
    await runPod(harness, 'web');
    await print('one\n');
    operator.pause();
    await harness.advance(1);
    await print('two\n');
    expect(messages()).toEqual(['one']);
    operator.resume();
    await harness.advance(5);
    await print('three\n');
    expect(messages()).toEqual(['one', 'two', 'three']);
  });

  it('should have their streams limited, and wait for others to end', async () => {
    const { Operator, messages } = recordingOperator();
    await harness.run(Operator, { logs: { maxStreams: 1 } });
    await runPod(harness, 'a', { restartPolicy: 'Never' });
    await runPod(harness, 'b');
    await print('of b\n', 'b');
    expect(messages()).toEqual([]);
    await harness.kube.pods.succeed('a');
    await harness.advance(10);
    expect(messages()).toEqual(['of b']);
  });
});
