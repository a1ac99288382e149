import type { KubeObject, WatchEvent } from '../objects/kube-object.js';
import { VirtualClock } from '../testing/time/virtual.clock.js';
import { Backpressure } from './backpressure.js';
import { objectKey, ObjectQueues } from './object.queues.js';
import type { WorkerSlot } from './worker.slot.js';
import { Slots } from '../common/slots.js';

const event = (uid: string, resourceVersion: string): WatchEvent => ({
  type: 'MODIFIED',
  object: { metadata: { uid, resourceVersion } },
});

/** Queues whose processing takes as long as the test wants. */
function prepare(limit: number | null = null) {
  const clock = new VirtualClock();
  const log: string[] = [];
  const steps = new Map<string, () => void>();
  let work = (_event: WatchEvent, _slot: WorkerSlot): Promise<unknown> => Promise.resolve();
  const queues = new ObjectQueues(
    {
      process: async ({ object, ...rest }, key, slot) => {
        const name = `${key}@${object.metadata.resourceVersion}`;
        log.push(`+${name}`);
        await work({ object, ...rest }, slot);
        log.push(`-${name}`);
      },
    },
    clock,
    new Slots(() => limit),
    new Backpressure(clock, () => 100),
  );
  const hold = (): void => {
    work = ({ object }) => new Promise<void>((resolve) => steps.set(object.metadata.uid!, resolve));
  };
  const finish = async (uid: string): Promise<void> => {
    steps.get(uid)?.();
    await clock.settle();
  };
  return { clock, log, queues, hold, finish, set: (fn: typeof work) => (work = fn) };
}

describe('ObjectQueues', () => {
  it('should process the events of one object one after another, and those of others meanwhile', async () => {
    const { clock, log, queues, hold, finish } = prepare();
    hold();
    queues.put(event('a', '1'));
    queues.put(event('a', '2'));
    queues.put(event('b', '1'));
    await clock.settle();
    expect(log).toEqual(['+a@1', '+b@1']);
    expect(queues.active).toBe(2);
    await finish('a');
    expect(log).toEqual(['+a@1', '+b@1', '-a@1', '+a@2']);
    await finish('a');
    await finish('b');
    expect(queues.active).toBe(0);
  });

  it('should hold no more objects in work than there are slots, and take turns in the order of the events', async () => {
    const { clock, log, queues, hold, finish } = prepare(2);
    hold();
    for (const uid of ['a', 'b', 'c', 'd']) queues.put(event(uid, '1'));
    await clock.settle();
    expect(log).toEqual(['+a@1', '+b@1']);
    await finish('b');
    expect(log.slice(2)).toEqual(['-b@1', '+c@1']);
    await finish('a');
    expect(log.slice(4)).toEqual(['-a@1', '+d@1']);
  });

  it('should hold no slot for an object that sleeps', async () => {
    const { clock, log, queues, set } = prepare(1);
    set((_event, slot) => slot.sleep(10));
    queues.put(event('a', '1'));
    queues.put(event('b', '1'));
    await clock.settle();
    expect(log).toEqual(['+a@1', '+b@1']);
    await clock.advance(10_000);
    expect(log.slice(2)).toEqual(['-a@1', '-b@1']);
  });

  it('should end the sleep of an object when a newer event of it comes, and not that of others', async () => {
    const { clock, log, queues, set } = prepare();
    const slept: unknown[] = [];
    set(async ({ object }, slot) => {
      slept.push([object.metadata.uid, object.metadata.resourceVersion, await slot.sleep(10), clock.monotonic()]);
    });
    queues.put(event('a', '1'));
    queues.put(event('b', '1'));
    await clock.advance(4000);
    queues.put(event('a', '2'));
    await clock.advance(60_000);
    expect(slept).toEqual([
      ['a', '1', false, 4000],
      ['b', '1', true, 10_000],
      ['a', '2', true, 14_000],
    ]);
    expect(log).toHaveLength(6);
  });

  it('should not let an object sleep while newer events wait, until the last one of them', async () => {
    const { clock, queues, set } = prepare();
    const slept: unknown[] = [];
    set(async ({ object }, slot) => {
      slept.push([object.metadata.resourceVersion, await slot.sleep(10)]);
    });
    for (const version of ['1', '2', '3']) queues.put(event('a', version));
    await clock.advance(60_000);
    expect(slept).toEqual([
      ['1', false],
      ['2', false],
      ['3', true],
    ]);
  });

  it('should finish what is in work when it stops, and drop the rest', async () => {
    const { clock, log, queues, hold, finish } = prepare(1);
    hold();
    queues.put(event('a', '1'));
    queues.put(event('a', '2'));
    queues.put(event('b', '1'));
    await clock.settle();
    let stopped = false;
    const stopping = queues.stop().then(() => (stopped = true));
    queues.put(event('c', '1'));
    await clock.settle();
    expect(stopped).toBe(false);
    await finish('a');
    await stopping;
    expect(log).toEqual(['+a@1', '-a@1']);
    expect(queues.active).toBe(0);
  });

  it('should end the sleeps when it stops', async () => {
    const { clock, log, queues, set } = prepare();
    set((_event, slot) => slot.sleep(600));
    queues.put(event('a', '1'));
    await clock.settle();
    await queues.stop();
    expect(log).toEqual(['+a@1', '-a@1']);
    expect([clock.monotonic(), clock.pending]).toEqual([0, 0]);
  });

  it('should have stopped at once if nothing is in work', async () => {
    await expect(prepare().queues.stop()).resolves.toBeUndefined();
  });
});

describe('objectKey', () => {
  it.each<[KubeObject, string]>([
    [{ kind: 'K', metadata: { uid: 'u', name: 'n' } }, 'u'],
    [
      { kind: 'K', apiVersion: 'v1', metadata: { name: 'n', namespace: 'x', creationTimestamp: 't' } },
      'K//v1//n//x//t',
    ],
    [{ metadata: {} }, '-//-//-//-//-'],
  ])('should identify %j by %s', (object, expected) => {
    expect(objectKey(object)).toBe(expected);
  });
});
