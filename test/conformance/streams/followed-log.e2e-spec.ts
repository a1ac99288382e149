import { KubeConfig, Log } from '@kubernetes/client-node';
import { EmbeddedKube } from 'embedded-kube';
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { once } from 'node:events';
import { PassThrough } from 'node:stream';
import { text } from 'node:stream/consumers';

const PODS = { group: '', plural: 'pods' };

/** The channels on which undici tells why a request has failed: client-node's Log keeps it to itself. */
const FAILURES = ['undici:client:connectError', 'undici:request:error'];

describe('the log of a simulated pod', () => {
  const failures: unknown[] = [];
  const note = (message: unknown): void => void failures.push((message as { error: unknown }).error);
  let kube: EmbeddedKube;

  beforeAll(async () => {
    for (const channel of FAILURES) subscribe(channel, note);
    kube = await EmbeddedKube.start({ pods: { startSeconds: 0 } });
    const running = new Promise<void>((resolve) => {
      kube.client.watch(PODS, ({ object }) => {
        if ((object['status'] as { phase?: string } | undefined)?.phase === 'Running') resolve();
      });
    });
    const spec = { containers: [{ name: 'main', image: 'i' }] };
    await kube.client.create(PODS, 'default', { metadata: { name: 'web' }, spec });
    await running;
  });

  afterAll(async () => {
    await kube.stop();
    for (const channel of FAILURES) unsubscribe(channel, note);
  });

  it('should be followed by clients until the pod is gone', async () => {
    const config = new KubeConfig();
    config.loadFromString(kube.kubeconfig);
    kube.pods.log('web', 'one\ntwo\n');
    const output = new PassThrough();
    const all = text(output);
    const following = new Log(config).log('default', 'web', 'main', output, { follow: true, tailLines: 1 });
    await following.catch((error: unknown) => {
      throw new AggregateError([error, ...failures], `The log is not followed: ${failures.map(String).join(', ')}`);
    });
    const [first] = (await once(output, 'data')) as [Buffer];
    expect(first.toString()).toBe('two\n');
    kube.pods.print('web', 'three\n');
    kube.pods.print({ name: 'other' }, 'nothing\n');
    await kube.client.delete(PODS, 'default', 'web');
    expect(await all).toBe('two\nthree\n');
  });
});
