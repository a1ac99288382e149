import type { WatchEvent, WatchEventType } from '../objects/kube-object.js';
import { VirtualClock } from '../testing/time/virtual.clock.js';
import { Leadership } from '../coordination/pausing/leadership.js';
import { Backpressure } from './backpressure.js';
import { LeftSelectorEvent } from './left-selector.event.js';
import { ObjectQueues } from './object.queues.js';
import type { WorkerSlot } from './worker.slot.js';
import { Slots } from '../common/slots.js';

function event(type: WatchEventType, uid: string): WatchEvent {
  return { type, object: { metadata: { uid } } };
}

describe('ObjectQueues', () => {
  let clock: VirtualClock;
  let processed: string[];
  let turns: WorkerSlot[];
  let release: (() => void)[];

  function make(leadership?: Leadership): ObjectQueues {
    const process = async ({ type }: WatchEvent, key: string, slot: WorkerSlot): Promise<void> => {
      processed.push(`${type} ${key}`);
      turns.push(slot);
      await new Promise<void>((resolve) => release.push(resolve));
    };
    return new ObjectQueues({ process }, clock, new Slots(() => null), new Backpressure(clock, () => 100), leadership);
  }

  async function finish(): Promise<void> {
    for (const resolve of release.splice(0)) resolve();
    await clock.settle();
  }

  beforeEach(() => {
    clock = new VirtualClock();
    [processed, turns, release] = [[], [], []];
  });

  it('should drop what waits in a pause, except deletions and objects that left the selector, which come after it', async () => {
    const queues = make();
    queues.put(event('ADDED', 'a'));
    queues.put(event('MODIFIED', 'a'));
    queues.put(event('DELETED', 'a'));
    await clock.settle();
    queues.pause();
    expect(turns[0].isOutdated).toBe(true);
    await finish();
    queues.put(event('ADDED', 'b'));
    queues.put(event('DELETED', 'c'));
    queues.put(new LeftSelectorEvent({ metadata: { uid: 'd' } }));
    await clock.settle();
    expect(processed).toEqual(['ADDED a']);
    queues.resume();
    await clock.settle();
    expect(processed).toEqual(['ADDED a', 'DELETED a', 'DELETED c', 'MODIFIED d']);
    expect(turns[1].isOutdated).toBe(false);
    await finish();
    expect(queues.active).toBe(0);
  });

  it('should not process an object twice at the same time when the pause is shorter than the work', async () => {
    const queues = make();
    queues.put(event('ADDED', 'a'));
    await clock.settle();
    queues.pause();
    queues.resume();
    queues.put(event(null, 'a'));
    await clock.settle();
    expect(processed).toEqual(['ADDED a']);
    await finish();
    expect(processed).toEqual(['ADDED a', 'null a']);
    await finish();
    expect(queues.active).toBe(0);
  });

  it('should stop in a pause, with what was kept', async () => {
    const queues = make();
    queues.pause();
    queues.put(event('DELETED', 'a'));
    await queues.stop();
    expect(queues.active).toBe(0);
    expect(processed).toEqual([]);
  });

  it('should begin with nothing without the right to it, though no pause has come yet', async () => {
    const leadership = new Leadership(clock);
    leadership.grant({ monotonic: 1000, now: clock.now() + 1000 });
    const queues = make(leadership);
    queues.put(event('ADDED', 'a'));
    await clock.settle();
    await clock.advance(1000);
    queues.put(event('MODIFIED', 'a'));
    await finish();
    expect(processed).toEqual(['ADDED a']);
    expect(turns[0].isLeading).toBe(false);
    queues.pause();
    leadership.grant({ monotonic: 5000, now: clock.now() + 5000 });
    queues.resume();
    queues.put(event(null, 'a'));
    await clock.settle();
    expect(processed).toEqual(['ADDED a', 'null a']);
    expect(turns[1].isLeading).toBe(true);
  });
});
