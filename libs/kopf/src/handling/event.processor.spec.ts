import { makeResource } from '../../../../test/support/objects/resources.js';
import { MemoryLogger } from '../../../../test/support/telemetry/memory.logger.js';
import type { KubeObject, WatchEvent } from '../objects/kube-object.js';
import { KopfSettings } from '../settings/kopf.settings.js';
import { VirtualClock } from '../testing/time/virtual.clock.js';
import { Slots } from '../common/slots.js';
import { WorkerSlot } from '../watching/worker.slot.js';
import type { EventCycle } from './event.cycle.js';
import { EventProcessor, ResourceEvents } from './event.processor.js';
import { Inventory } from './inventory.js';
import type { ObjectMemory } from './object.memory.js';
import { ReadEvent } from './read.event.js';

const BODY: KubeObject = {
  apiVersion: 'kopf.dev/v1',
  kind: 'KopfExample',
  metadata: { name: 'a', namespace: 'ns', uid: 'u', resourceVersion: '5' },
};
const eventOf = (type: WatchEvent['type'], resourceVersion = '5'): WatchEvent => ({
  type,
  object: { ...BODY, metadata: { ...BODY.metadata, resourceVersion } },
});

/** Processes the events of one object with cycles that are only written down. */
function arrange(run: (cycle: EventCycle, index: number) => ReadEvent | undefined = () => undefined) {
  const clock = new VirtualClock();
  const logger = new MemoryLogger();
  const calls: string[] = [];
  const memories: ObjectMemory[] = [];
  const cycles = {
    run: (cycle: EventCycle) => {
      calls.push(`run ${cycle.isRead ? 'read' : cycle.event.type} ${cycle.body.metadata.resourceVersion}`);
      memories.push(cycle.memory);
      // What it throws is to come as a rejection.
      return Promise.resolve().then(() => run(cycle, memories.length - 1));
    },
  };
  const background = { refresh: ({ body }: EventCycle) => calls.push(`refresh ${body.metadata.resourceVersion}`) };
  const settings = new KopfSettings();
  const processor = new EventProcessor(
    { create: () => logger } as never,
    background as never,
    cycles as never,
    settings,
  );
  const inventory = new Inventory({});
  const source = new ResourceEvents(
    processor,
    { inventory } as never,
    makeResource(),
    () => ({ watching: [], changing: [], spawning: [] }) as never,
    {} as never,
  );
  const slots = new Slots(() => null);
  const slot = new WorkerSlot(clock, slots);
  slot.begin();
  void slots.acquire();
  const process = (event: WatchEvent): Promise<void> => clock.runUntil(source.process(event, 'u', slot));
  return { calls, clock, inventory, logger, memories, process, slot };
}

describe('EventProcessor', () => {
  it('should show the newest state to what runs for the object, and run one cycle', async () => {
    const { calls, process } = arrange();
    await process(eventOf('MODIFIED'));
    expect(calls).toEqual(['refresh 5', 'run MODIFIED 5']);
  });

  it('should remember the object until it is gone', async () => {
    const { inventory, memories, process } = arrange();
    for (const type of [null, 'MODIFIED', 'DELETED', 'ADDED'] as const) await process(eventOf(type));
    const [listed, modified, deleted, added] = memories;
    expect([modified, deleted]).toEqual([listed, listed]);
    expect(added).not.toBe(listed);
    expect([listed.noticedByListing, added.noticedByListing]).toEqual([true, false]);
    expect(inventory.size).toBe(1);
  });

  it('should go on with what the operator reads itself, until it reads no more', async () => {
    const read = [new ReadEvent(eventOf('MODIFIED', '6').object), new ReadEvent(eventOf('MODIFIED', '7').object)];
    const { calls, process } = arrange((_, index) => read[index]);
    await process(eventOf('MODIFIED'));
    expect(calls).toEqual(['refresh 5', 'run MODIFIED 5', 'refresh 6', 'run read 6', 'refresh 7', 'run read 7']);
  });

  it('should know that the watch has come as far as the own patch by an event, not by what was read', async () => {
    const { memories, process } = arrange((cycle, index) => {
      if (index > 0) return undefined;
      cycle.memory.expect(eventOf('MODIFIED', '9').object, 5000);
      return new ReadEvent(eventOf('MODIFIED', '9').object);
    });
    await process(eventOf('MODIFIED'));
    expect(memories[0].knownVersion).toBe('9');
    await process(eventOf('MODIFIED', '8'));
    expect(memories[0].knownVersion).toBe('9');
    await process(eventOf('MODIFIED', '9'));
    expect(memories[0].knownVersion).toBeUndefined();
  });

  it('should log an unexpected error, leave the object alone for a while, and try again', async () => {
    const { calls, clock, logger, process } = arrange((_, index) => {
      if (index < 2) throw new Error('failed');
      return undefined;
    });
    await process(eventOf('MODIFIED'));
    expect(calls.filter((call) => call.startsWith('run'))).toHaveLength(3);
    expect(clock.monotonic()).toBe(2000);
    expect(logger.messages('error')).toEqual([
      'Throttling for 1 seconds due to an unexpected error: Error: failed',
      'Throttling for 1 seconds due to an unexpected error: Error: failed',
    ]);
  });

  it('should give way to newer events while it leaves the object alone', async () => {
    const { calls, clock, process, slot } = arrange(() => {
      throw new Error('failed');
    });
    clock.setTimer(() => slot.pressure.raise(), 500);
    await process(eventOf('MODIFIED'));
    expect([calls, clock.monotonic()]).toEqual([['refresh 5', 'run MODIFIED 5'], 500]);
  });

  it('should try a deletion only once, as nothing newer can come', async () => {
    const { calls, clock, process } = arrange(() => {
      throw new Error('failed');
    });
    await process(eventOf('DELETED'));
    expect([calls, clock.monotonic()]).toEqual([['refresh 5', 'run DELETED 5'], 0]);
  });

  it('should send nothing that was to be sent under another leadership', async () => {
    const { memories, process } = arrange();
    await process(eventOf('MODIFIED'));
    memories[0].unsent = { fields: { status: { x: 1 } }, transformations: [] };
    await process(eventOf('MODIFIED', '6'));
    expect(memories[0].unsent).toBeDefined();
    memories[0].unsentFence = {} as never;
    await process(eventOf('MODIFIED', '7'));
    expect(memories[0].unsent).toBeUndefined();
  });
});
