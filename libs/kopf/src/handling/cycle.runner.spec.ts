import { makeResource } from '../../../../test/support/objects/resources.js';
import { MemoryLogger } from '../../../../test/support/telemetry/memory.logger.js';
import type { KubeObject, WatchEvent } from '../objects/kube-object.js';
import { KopfSettings } from '../settings/kopf.settings.js';
import { VirtualClock } from '../testing/time/virtual.clock.js';
import { LeftSelectorEvent } from '../watching/left-selector.event.js';
import { Slots } from '../common/slots.js';
import { WorkerSlot } from '../watching/worker.slot.js';
import { CycleRunner } from './cycle.runner.js';
import { EventCycle, type CycleResult } from './event.cycle.js';
import type { ResourceEvents } from './event.processor.js';
import { ObjectMemory } from './object.memory.js';
import { ReadEvent } from './read.event.js';

const BODY: KubeObject = {
  apiVersion: 'kopf.dev/v1',
  kind: 'KopfExample',
  metadata: { name: 'a', namespace: 'ns', uid: 'u', resourceVersion: '5' },
};
const NEWEST: KubeObject = { ...BODY, metadata: { ...BODY.metadata, resourceVersion: '9' } };
const MODIFIED: WatchEvent = { type: 'MODIFIED', object: BODY };
const DELETED: WatchEvent = { type: 'DELETED', object: BODY };
const END = { delays: [] };

/** Sets how the parts of a cycle, which are only written down, end. */
interface Behaviour {
  /** Is true if the gate of the indices lets the object pass. @default true */
  passes?: boolean;
  result?: CycleResult | Error;
  /** Is true if the object is to be read after its patch. @default false */
  isReadNeeded?: boolean;
  found?: KubeObject;
}

function arrange({ passes = true, result = END, isReadNeeded = false, found }: Behaviour = {}) {
  const calls: string[] = [];
  const note = <T>(call: string, outcome?: T): Promise<T> => {
    calls.push(call);
    return outcome instanceof Error ? Promise.reject(outcome) : Promise.resolve(outcome as T);
  };
  const settings = new KopfSettings();
  const runner = new CycleRunner(
    { index: () => note('index'), pass: () => note('pass the gate', passes) } as never,
    { handle: () => note('release') } as never,
    { take: () => note('take the steps', result) } as never,
    { apply: () => note('apply the patch', isReadNeeded) } as never,
    { read: () => note('read', found) } as never,
    settings,
  );
  const clock = new VirtualClock();
  const slots = new Slots(() => null);
  const slot = new WorkerSlot(clock, slots);
  const memory = new ObjectMemory(false, () => ({}));
  const source = { resource: makeResource() } as unknown as ResourceEvents;
  slot.begin();
  void slots.acquire();
  const cycleOf = (event: WatchEvent): EventCycle =>
    new EventCycle(source, 'u', event, memory, slot, new MemoryLogger());
  return {
    calls,
    clock,
    cycleOf,
    memory,
    run: (event: WatchEvent) => runner.run(cycleOf(event)),
    runner,
    settings,
    slot,
  };
}

describe('CycleRunner', () => {
  it.each<[string, WatchEvent, Behaviour, readonly string[]]>([
    ['of a change', MODIFIED, {}, ['index', 'pass the gate', 'take the steps', 'apply the patch']],
    ['of a deletion, which leaves nothing to patch', DELETED, {}, ['index', 'pass the gate', 'take the steps']],
    ['of what the operator has read itself', new ReadEvent(BODY), {}, ['take the steps', 'apply the patch']],
    ['of an object that left the selector', new LeftSelectorEvent(BODY), {}, ['index', 'release']],
    ['that ends with the session', MODIFIED, { passes: false }, ['index', 'pass the gate']],
    ['that newer events supersede', MODIFIED, { result: 'superseded' }, ['index', 'pass the gate', 'take the steps']],
  ])('should go through a cycle %s', async (_, event, behaviour, expected) => {
    const { calls, run } = arrange(behaviour);
    expect(await run(event)).toBeUndefined();
    expect(calls).toEqual(expected);
  });

  it.each<[string, WatchEvent, readonly string[]]>([
    ['the next list shows the object', MODIFIED, ['index', 'pass the gate']],
    ['but not for a deletion, which no list shows', DELETED, ['index', 'pass the gate', 'take the steps']],
  ])('should call nothing if the operator has paused meanwhile: %s', async (_, event, expected) => {
    const { calls, run, slot } = arrange();
    slot.interrupt();
    await run(event);
    expect(calls).toEqual(expected);
  });

  it.each<[string, Behaviour, string]>([
    ['after a conflict', { isReadNeeded: true }, 'apply the patch'],
    ['if the watch has not come as far as the own patch', { result: 'outdated' }, 'take the steps'],
  ])('should read the object %s, and give it to be processed', async (_, behaviour, before) => {
    const { calls, memory, run, settings } = arrange({ ...behaviour, found: NEWEST });
    const next = await run(MODIFIED);
    expect(next).toBeInstanceOf(ReadEvent);
    expect(next!.object).toBe(NEWEST);
    expect(calls.slice(-2)).toEqual([before, 'read']);
    expect(memory).toMatchObject({
      knownVersion: '9',
      consistencyDeadline: settings.persistence.consistencyTimeout * 1000,
    });
  });

  it('should take note that the object it has read is gone', async () => {
    const { memory, run, slot } = arrange({ isReadNeeded: true, found: undefined });
    expect(await run(MODIFIED)).toBeUndefined();
    expect([memory.isGone, slot.isGone]).toEqual([true, true]);
  });

  it('should prepare another attempt after an error, with what is still unsent and with what is known by then', async () => {
    const { cycleOf, memory, runner } = arrange({ result: new Error('failed') });
    const cycle = cycleOf(MODIFIED);
    const { patch } = cycle;
    patch.merge({ status: { lost: true } });
    memory.expect(NEWEST, 5000);
    await expect(runner.run(cycle)).rejects.toThrow('failed');
    expect(cycle.patch).not.toBe(patch);
    expect([cycle.patch.isEmpty, cycle.isOutdated]).toEqual([true, true]);
  });

  it.each<[string, Behaviour]>([
    ['when it ends', {}],
    ['when it fails', { result: new Error('failed') }],
  ])('should let daemons and timers patch the object again %s', async (_, behaviour) => {
    const { memory, run } = arrange(behaviour);
    let released = 0;
    memory.background = { releasePatches: () => (released += 1) } as never;
    await run(MODIFIED).catch(() => undefined);
    expect(released).toBe(1);
  });
});
