import { makeResource } from '../../../../test/support/objects/resources.js';
import { MemoryLogger } from '../../../../test/support/telemetry/memory.logger.js';
import { NOTHING_TO_WAIT_FOR, type BackgroundStep } from '../background/background.engine.js';
import { Reason } from '../contexts/reason.js';
import type { KubeObject, WatchEvent } from '../objects/kube-object.js';
import { KopfSettings } from '../settings/kopf.settings.js';
import { SmartProgressStorage } from '../state/multi-progress.storage.js';
import { VirtualClock } from '../testing/time/virtual.clock.js';
import { Slots } from '../common/slots.js';
import { WorkerSlot } from '../watching/worker.slot.js';
import { NOTHING_HANDLED, type HandlingStep } from './change.handling.js';
import { EventCycle, type CycleResult } from './event.cycle.js';
import type { ResourceEvents } from './event.processor.js';
import { HandlingSteps } from './handling.steps.js';
import { ObjectMemory } from './object.memory.js';
import { ReadEvent } from './read.event.js';

const BODY: KubeObject = {
  apiVersion: 'kopf.dev/v1',
  kind: 'KopfExample',
  metadata: { name: 'a', namespace: 'ns', uid: 'u', resourceVersion: '5' },
};
const ALL = ['detect', 'call event handlers', 'match background', 'decide on finalizer', 'call change handlers'];

/** Sets what the steps, which are only written down, find and want. */
interface Behaviour {
  reason?: Reason;
  /** Is true if any handler of changes is for the object. @default true */
  matches?: boolean;
  waiting?: BackgroundStep;
  step?: Partial<HandlingStep>;
  /** Is true if the cycle is dedicated to the finalizer. @default false */
  adjusts?: boolean;
  /** Called with the handlers of events. */
  onEvents?: () => void;
}

function arrange(behaviour: Behaviour = {}, handlers: readonly string[] = ['watching', 'changing', 'spawning']) {
  const { reason = Reason.UPDATE, matches = true, waiting = NOTHING_TO_WAIT_FOR, adjusts = false } = behaviour;
  const calls: string[] = [];
  const note = <T>(call: string, result?: T): T => (calls.push(call), result as T);
  const settings = new KopfSettings();
  settings.persistence.progressStorage = new SmartProgressStorage();
  const steps = new HandlingSteps(
    { detect: () => note('detect', { reason, body: BODY }) } as never,
    { handle: () => Promise.resolve(note('call event handlers', behaviour.onEvents?.())) } as never,
    { handle: () => Promise.resolve(note('match background', waiting)) } as never,
    { adjust: () => note('decide on finalizer', adjusts), release: () => note('release finalizer') } as never,
    {
      handle: () => Promise.resolve(note('call change handlers', { ...NOTHING_HANDLED, ...behaviour.step })),
      purgeLeftovers: () => note('purge leftovers'),
    } as never,
    settings,
  );
  const clock = new VirtualClock();
  const slots = new Slots(() => null);
  const slot = new WorkerSlot(clock, slots);
  const memory = new ObjectMemory(false, () => ({}));
  const of = (kind: string): readonly object[] => (handlers.includes(kind) ? [{ when: () => matches }] : []);
  const source = {
    resource: makeResource(),
    handlers: { watching: of('watching'), changing: of('changing'), spawning: of('spawning') },
  } as unknown as ResourceEvents;
  slot.begin();
  void slots.acquire();

  /** Takes the steps of one cycle. */
  async function take(event: WatchEvent = { type: 'MODIFIED', object: BODY }): Promise<CycleResult> {
    const cycle = new EventCycle(source, 'u', event, memory, slot, new MemoryLogger());
    return clock.runUntil(Promise.resolve(steps.take(cycle)));
  }
  return { calls, clock, memory, slot, take };
}

describe('HandlingSteps', () => {
  it('should be taken in their order, and end with the release of the finalizer if nothing is left to wait for', async () => {
    const { calls, take } = arrange();
    expect(await take()).toMatchObject({ delays: [] });
    expect(calls).toEqual([...ALL, 'release finalizer']);
  });

  it.each<[string, readonly string[], readonly string[]]>([
    ['events', ['watching'], ['call event handlers', 'decide on finalizer', 'release finalizer']],
    ['changes', ['changing'], ['detect', 'decide on finalizer', 'call change handlers', 'release finalizer']],
    ['the background', ['spawning'], ['match background', 'decide on finalizer', 'release finalizer']],
  ])('should be only those that there are handlers for: %s', async (_, handlers, expected) => {
    const { calls, take } = arrange({}, handlers);
    await take();
    expect(calls).toEqual(expected);
  });

  it.each<[string, Behaviour, readonly number[]]>([
    ['handlers', { step: { delays: [3] } }, [3]],
    ['daemons', { waiting: { delays: [7] } }, [7]],
    ['both', { step: { delays: [3] }, waiting: { delays: [7] } }, [7, 3]],
  ])('should keep the finalizer while %s are waited for', async (_, behaviour, delays) => {
    const { calls, take } = arrange(behaviour);
    expect(await take()).toMatchObject({ delays });
    expect(calls).toEqual(ALL);
  });

  it('should keep the finalizer of a deletion that is held', async () => {
    const { calls, take } = arrange({ reason: Reason.DELETE, step: { holdsDeletion: true } });
    await take();
    expect(calls).toEqual(ALL);
  });

  it('should leave a cycle that sets the finalizer to it alone', async () => {
    const waiting = { delays: [7] };
    const { calls, take } = arrange({ adjusts: true, waiting });
    expect(await take()).toBe(waiting);
    expect(calls).toEqual(ALL.slice(0, 4));
  });

  it('should only remove what is left of handlers that are not for the object any more', async () => {
    const { calls, take } = arrange({ matches: false });
    await take();
    expect(calls).toEqual([...ALL.slice(0, 3), 'purge leftovers', 'decide on finalizer', 'release finalizer']);
  });

  it('should stop what runs for an object that is gone before anything else', async () => {
    const { calls, take } = arrange({ reason: Reason.GONE });
    await take({ type: 'DELETED', object: BODY });
    expect(calls.slice(0, 3)).toEqual(['match background', 'detect', 'call event handlers']);
  });

  it('should not call handlers of events for what the operator has read itself', async () => {
    const { calls, take } = arrange();
    await take(new ReadEvent(BODY));
    expect(calls).toEqual([...ALL.filter((call) => call !== 'call event handlers'), 'release finalizer']);
  });

  it('should end before the finalizer if the API server has the object no more, though the watch has not told so yet', async () => {
    const { calls, memory, take } = arrange();
    memory.isGone = true;
    expect(await take()).toBe(NOTHING_TO_WAIT_FOR);
    expect(calls).toEqual(ALL.slice(0, 3));
  });

  it.each<[Reason, boolean]>([
    [Reason.CREATE, false],
    [Reason.UPDATE, false],
    [Reason.RESUME, false],
    [Reason.DELETE, true],
  ])('should call handlers of changes while the deletion waits behind: %s, %s', async (reason, isCalled) => {
    const { calls, slot, take } = arrange({ reason });
    slot.isGone = true;
    await take();
    expect(calls.includes('call change handlers')).toBe(isCalled);
  });

  it('should call handlers of changes if the object goes while handlers of events run', async () => {
    const { calls, take, slot } = arrange({ onEvents: () => (slot.isGone = true) });
    await take();
    expect(calls).toContain('call change handlers');
  });

  it('should end before the handlers of changes if the operator has paused meanwhile', async () => {
    const { calls, slot, take } = arrange();
    slot.interrupt();
    expect(await take()).toBe(NOTHING_TO_WAIT_FOR);
    expect(calls).toEqual(ALL.slice(0, 4));
  });

  it('should send what an earlier cycle could not, and come back at once for the handlers of changes', async () => {
    const { calls, memory, take } = arrange();
    memory.unsent = { fields: { status: { x: 1 } }, transformations: [] } as never;
    expect(await take()).toMatchObject({ delays: [0] });
    expect(calls).toEqual(ALL.slice(0, 4));
  });

  describe('of a state that is older than the own patch', () => {
    function arrangeOutdated() {
      const arranged = arrange();
      arranged.memory.expect({ ...BODY, metadata: { ...BODY.metadata, resourceVersion: '9' } }, 5000);
      return arranged;
    }

    it('should have the object read if the watch tells of nothing newer in time', async () => {
      const { calls, clock, take } = arrangeOutdated();
      expect(await take()).toBe('outdated');
      expect(clock.monotonic()).toBe(5000);
      expect(calls).toEqual(ALL.slice(0, 3));
    });

    it('should leave the object to newer events', async () => {
      const { calls, clock, slot, take } = arrangeOutdated();
      clock.setTimer(() => slot.pressure.raise(), 1000);
      expect(await take()).toBe('superseded');
      expect(clock.monotonic()).toBe(1000);
      expect(calls).toEqual(ALL.slice(0, 3));
    });

    it('should call the handlers if it is what the operator has read itself, or the last of the object', async () => {
      for (const event of [new ReadEvent(BODY), { type: 'DELETED', object: BODY } as const]) {
        const { calls, take } = arrangeOutdated();
        await take(event);
        expect(calls).toContain('call change handlers');
      }
    });
  });
});
