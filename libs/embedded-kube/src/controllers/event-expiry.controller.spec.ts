import { Harness } from '../harness.spec-support.js';

const EVENTS = '/api/v1/namespaces/default/events';
const event = (name: string) => ({
  metadata: { name },
  involvedObject: { namespace: 'default', name: 'x' },
  reason: 'R',
});

describe('EventExpiryController', () => {
  it('should remove events an hour after their last write, and keep no timer then', async () => {
    const kube = await Harness.start();
    const names = async (): Promise<string[]> =>
      (await kube.get(EVENTS)).body.items.map(({ metadata }: { metadata: { name: string } }) => metadata.name);
    await kube.post(EVENTS, event('a'));
    await kube.post(EVENTS, event('b'));
    await kube.clock.advance(30 * 60_000);
    await kube.patch(`${EVENTS}/a`, { count: 2 });
    await kube.clock.advance(30 * 60_000);
    expect(await names()).toEqual(['a']);
    await kube.clock.advance(30 * 60_000);
    expect(await names()).toEqual([]);
    expect(kube.clock.pending).toBe(0);
    await kube.kube.stop();
  });

  it('should keep them for ever if it is told so', async () => {
    const kube = await Harness.start({ eventLifetime: 0 });
    await kube.post(EVENTS, event('a'));
    await kube.clock.advance(100 * 3_600_000);
    expect((await kube.get(EVENTS)).body.items).toHaveLength(1);
    await kube.kube.stop();
  });
});
