import { makeResource } from '../../../../test/support/resources.js';
import { scriptedApi, status, systemError, type ScriptedAnswer } from '../../../../test/support/scripted.api.js';
import { PatchVerification } from '../client/api/patch.verification.js';
import { PatchingClient } from '../client/api/patching.client.js';
import { Leadership } from '../coordination/pausing/leadership.js';
import type { KubeObject } from '../objects/kube-object.js';
import { ResourcePatch } from '../objects/patches.js';
import { KopfSettings } from '../settings/kopf.settings.js';
import { SmartProgressStorage } from '../state/multi-progress.storage.js';
import { Backpressure } from '../watching/backpressure.js';
import { WorkerSlot } from '../watching/worker.slot.js';
import { Slots } from '../watching/slots.js';
import { ObjectMemory } from './object.memory.js';
import { EventCycle, type CycleEnd } from './event.cycle.js';
import { PatchApplication } from './patch.application.js';
import type { ResourceEvents } from './event.processor.js';
import type { SessionContext } from './session.context.js';

const BODY: KubeObject = {
  apiVersion: 'kopf.dev/v1',
  kind: 'KopfExample',
  metadata: { name: 'a', namespace: 'ns', uid: 'u', resourceVersion: '1' },
  spec: {},
};
const TOUCH = 'kopf.zalando.org/touch-dummy';

type Answer = ScriptedAnswer | Error;

const stored = (version: number): Answer => ({
  json: { ...BODY, metadata: { ...BODY.metadata, resourceVersion: String(version) } },
});
const conflict = status(422, 'Invalid', 'the test failed');
const gone = [status(404, 'NotFound', 'gone'), { json: { metadata: {}, items: [] } }];
const rejected = status(422, 'Invalid', 'metadata.labels: Invalid value', { causes: [{ field: 'metadata.labels' }] });
const addFinalizer = (object: KubeObject): void => void (object.metadata.finalizers ??= []).push('f');

/** Ends cycles of one object on a scripted API server, whose last answer repeats. */
function arrange(...answers: Answer[]) {
  const { api, clock, logger, transport } = scriptedApi((_, index) => answers[Math.min(index, answers.length - 1)]);
  const settings = new KopfSettings();
  settings.persistence.progressStorage = new SmartProgressStorage();
  const stopping = new AbortController();
  const slots = new Slots(() => 1);
  const slot = new WorkerSlot(clock, slots);
  const memory = new ObjectMemory(false, () => ({}));
  const application = new PatchApplication(
    new PatchingClient(api, logger, settings),
    new PatchVerification(),
    settings,
    clock,
  );
  const session: Partial<SessionContext> = {
    ending: stopping.signal,
    backpressure: new Backpressure(clock, () => 100),
    pruned: new Set(),
  };
  const source = { session, resource: makeResource() } as unknown as ResourceEvents;
  slot.begin();
  void slots.acquire();

  /** Ends one cycle, and lets the given seconds pass. */
  async function apply(patch: ResourcePatch, options: Partial<CycleEnd> = {}, seconds = 0) {
    let result: boolean | Error | undefined;
    const cycle = new EventCycle(source, 'u', { type: 'MODIFIED', object: BODY }, memory, slot, logger);
    cycle.patch = patch;
    const done = application.apply(cycle, { delays: [], ...options }).then(
      (again) => (result = again),
      (error: Error) => (result = error),
    );
    await clock.advance(seconds * 1000);
    return { done, now: result };
  }
  const sent = () => transport.requests.map(({ body }) => (body === undefined ? undefined : JSON.parse(body)));
  /** The annotations with which the object was touched so that an event comes. */
  const touches = () => sent().flatMap((body) => body?.metadata?.annotations?.[TOUCH] ?? []);
  return { apply, application, clock, logger, memory, sent, settings, slots, stopping, touches, slot };
}

function patchOf(fields: Record<string, unknown> = {}, ...transformations: ((object: KubeObject) => void)[]) {
  const patch = new ResourcePatch();
  patch.merge(fields);
  for (const transformation of transformations) patch.transform(transformation);
  return patch;
}

describe('PatchApplication', () => {
  it.each<[string, Answer[], object]>([
    ['is stored', [stored(2)], { result: false, isGone: false, conflicts: 0, known: '2', unsent: false }],
    ['changes nothing', [stored(1)], { result: false, isGone: false, conflicts: 0, known: undefined, unsent: false }],
    ['finds the object gone', gone, { result: false, isGone: true, conflicts: 0, known: undefined, unsent: false }],
    [
      'meets with a conflict',
      [conflict],
      { result: true, isGone: false, conflicts: 1, known: undefined, unsent: true },
    ],
    [
      'is stored although the first answer is lost',
      [systemError('ECONNRESET'), stored(2)],
      { result: false, isGone: false, conflicts: 0, known: '2', unsent: false },
    ],
    [
      'is kept for the next cycle if the API server cannot be reached',
      [systemError('ECONNREFUSED')],
      { result: expect.objectContaining({ code: 'KOPF_CONNECTION' }), conflicts: 0, known: undefined, unsent: true },
    ],
    [
      'is rejected, which nobody retracts',
      [rejected],
      { result: expect.objectContaining({ status: 422 }), conflicts: 0, known: undefined, unsent: false },
    ],
  ])('should tell what is to be done after a patch that %s', async (_, answers, expected) => {
    const { apply, memory, slot } = arrange(...answers);
    const { now: result } = await apply(patchOf({ spec: { x: 1 } }, addFinalizer), {}, 120);
    const { isGone, conflicts, knownVersion: known, unsent } = memory;
    expect({ result, isGone, conflicts, known, unsent: unsent !== undefined }).toMatchObject(expected);
    expect(slot.isGone).toBe(isGone);
  });

  it('should report what the cluster has made of the fields, also where the transformations meet with a conflict', async () => {
    const { apply, logger } = arrange(stored(2), conflict);
    await apply(patchOf({ spec: { x: 1 } }, addFinalizer), {}, 120);
    expect(logger.messages('warn')).toEqual([expect.stringMatching(/finished with inconsistencies: .* spec\.x\.$/)]);
  });

  it('should send nothing if there is nothing to send and nothing to wait for', async () => {
    const { apply, memory, sent } = arrange();
    memory.unsent = { fields: {}, transformations: [] };
    expect((await apply(patchOf())).now).toBe(false);
    expect([sent(), memory.unsent]).toEqual([[], undefined]);
  });

  it('should send nothing for an object that has gone', async () => {
    const { apply, sent, slot } = arrange();
    slot.isGone = true;
    expect((await apply(patchOf({ spec: { x: 1 } }), { delays: [1] }, 10)).now).toBe(false);
    expect(sent()).toEqual([]);
  });

  describe('with delayed handlers', () => {
    it.each<[string, number[], number]>([
      ['the earliest of them is due', [30, 10, 20], 10],
      ['it is due at once', [0], 0],
      ['the object has to be seen alive', [86_400], 600],
    ])('should touch the object when %s', async (_, delays, due) => {
      const { apply, touches } = arrange(stored(2));
      await apply(patchOf(), { delays }, due - 0.01);
      expect(touches()).toHaveLength(due === 0 ? 1 : 0);
      await apply(patchOf(), {}, 0.02);
      expect(touches()).toHaveLength(1);
    });

    it('should leave it to the event of a patch that has changed the object', async () => {
      const { apply, sent } = arrange(stored(2));
      expect((await apply(patchOf({ spec: { x: 1 } }), { delays: [1] }, 100)).now).toBe(false);
      expect(sent()).toHaveLength(1);
    });

    it('should wait for them after a patch that has changed nothing, as no event comes of it', async () => {
      const { apply, sent, touches } = arrange(stored(1), stored(2));
      expect((await apply(patchOf({ spec: { x: 1 } }), { delays: [5] }, 6)).now).toBe(false);
      expect([sent().length, touches().length]).toEqual([2, 1]);
    });

    it('should stop waiting when newer events come', async () => {
      const { apply, sent, slot } = arrange(stored(2));
      const { done, now } = await apply(patchOf(), { delays: [60] }, 10);
      expect(now).toBeUndefined();
      slot.interrupt();
      expect(await done).toBe(false);
      expect(sent()).toEqual([]);
    });

    it('should touch the object earlier if what was waited for is settled', async () => {
      const { apply, clock, touches } = arrange(stored(2));
      const settled = new Promise((resolve) => clock.setTimer(() => resolve(undefined), 5000));
      expect((await apply(patchOf(), { delays: [60], settled }, 6)).now).toBe(false);
      expect(touches()).toHaveLength(1);
    });

    it('should let other objects be processed meanwhile', async () => {
      const { apply, slots } = arrange(stored(2));
      await apply(patchOf(), { delays: [60] }, 10);
      expect(slots.acquire()).toBeUndefined();
    });

    it('should touch no object twice with the same time, as the second one would make no event', async () => {
      const { apply, touches } = arrange(stored(2), stored(3), stored(4));
      await Promise.all([1, 2, 3].map(() => apply(patchOf(), { delays: [0] }, 0)));
      expect(new Set(touches()).size).toBe(3);
    });

    it('should forget a touch that met with a conflict, which would delay the next cycle', async () => {
      const { apply, memory } = arrange(status(409, 'Conflict', 'the object has been modified'));
      expect((await apply(patchOf(), { delays: [1] }, 100)).now).toBe(true);
      expect([memory.unsent, memory.conflicts]).toEqual([undefined, 1]);
    });
  });

  describe('after a conflict', () => {
    it.each([
      [0, 1],
      [1, 2],
      [2, 5],
      [3, 10],
      [4, 30],
      [5, 60],
      [50, 60],
    ])('that follows %i others should look at the object again in %i s, if no event comes', async (before, delay) => {
      const { apply, clock, logger, memory } = arrange(conflict);
      memory.conflicts = before;
      const { done, now } = await apply(patchOf({}, addFinalizer), {}, delay - 0.01);
      expect(now).toBeUndefined();
      await clock.advance(20);
      expect(await done).toBe(true);
      expect(memory.conflicts).toBe(before + 1);
      const warnings = before < 2 ? [] : [expect.stringContaining(`${before + 1} conflicts in a row`)];
      expect(logger.messages('warn')).toEqual(warnings);
    });

    it('should leave it to the event that tells what the conflict was with', async () => {
      const { apply, memory, slot } = arrange(conflict);
      memory.conflicts = 5;
      const { done } = await apply(patchOf({}, addFinalizer), {}, 1);
      slot.interrupt();
      expect(await done).toBe(false);
      expect(memory.unsent?.transformations).toEqual([addFinalizer]);
    });

    it('should count from the beginning once a patch is stored', async () => {
      const { apply, memory } = arrange(stored(2));
      memory.conflicts = 4;
      await apply(patchOf({ spec: { x: 1 } }));
      expect(memory.conflicts).toBe(0);
    });
  });

  describe('of a rejected patch', () => {
    const BAD = { metadata: { labels: { a: '!' } } };

    it('should send what the retraction makes of it', async () => {
      const { apply, sent } = arrange(rejected, stored(2));
      const patch = patchOf(BAD);
      const errors: Error[] = [];
      const retract = async (error: Error) => {
        errors.push(error);
        patch.clear();
        patch.merge({ spec: { failed: true } });
      };
      expect((await apply(patch, { retract }, 1)).now).toBe(false);
      expect(errors).toEqual([expect.objectContaining({ status: 422 })]);
      expect(sent()).toMatchObject([BAD, { spec: { failed: true } }]);
    });

    it('should fail if this is rejected, too', async () => {
      const { apply, sent } = arrange(rejected);
      const { now } = await apply(patchOf(BAD), { retract: () => Promise.resolve() }, 1);
      expect(now).toMatchObject({ status: 422 });
      expect(sent()).toHaveLength(2);
    });

    it.each<[string, Answer, object]>([
      ['accepted', stored(2), { error: undefined, rest: true }],
      ['rejected', rejected, { error: expect.objectContaining({ status: 422 }), rest: true }],
      ['in conflict', conflict, { error: undefined, rest: false }],
    ])('should tell the retraction of each part whether it is %s', async (_, answer, expected) => {
      const { apply } = arrange(rejected, answer, stored(3));
      const patch = patchOf(BAD);
      let told: Error | undefined;
      let rest = false;
      const retract: CycleEnd['retract'] = async (_error, sendAlone) => {
        patch.clear();
        told = await sendAlone({ fields: { spec: { x: 1 } }, transformations: [] });
        rest = patch.isEmpty;
      };
      expect((await apply(patch, { retract }, 1)).now).toBe(false);
      expect({ error: told, rest }).toEqual(expected);
    });

    it('should fail if a part of it cannot be sent', async () => {
      const { apply } = arrange(rejected, systemError('ECONNREFUSED'));
      const patch = patchOf(BAD);
      const retract: CycleEnd['retract'] = async (_error, sendAlone) => {
        await sendAlone({ fields: { spec: { x: 1 } }, transformations: [] });
      };
      expect((await apply(patch, { retract }, 120)).now).toMatchObject({ code: 'KOPF_CONNECTION' });
    });
  });

  describe('when the operator may not write any more', () => {
    it('should store nothing after the stop', async () => {
      const { apply, logger, sent, stopping } = arrange(stored(2));
      stopping.abort();
      expect((await apply(patchOf({ spec: { x: 1 } }), { delays: [1] }, 10)).now).toBe(false);
      expect(sent()).toEqual([]);
      expect(logger.messages('warn')).toEqual([expect.stringContaining('the operator has stopped meanwhile')]);
    });

    it('should store nothing after the leadership was lost', async () => {
      const { apply, clock, logger, sent, slot } = arrange(stored(2));
      const leadership = new Leadership(clock);
      leadership.grant({ monotonic: clock.monotonic() + 5000, now: clock.now() + 5000 });
      slot.begin(leadership);
      leadership.revoke();
      expect((await apply(patchOf({ spec: { x: 1 } }), {}, 10)).now).toBe(false);
      expect(sent()).toEqual([]);
      expect(logger.messages('warn')).toEqual([expect.stringContaining('another operator may be at work')]);
    });

    it.each([
      ['confirmed', 1],
      ['lost', 0],
    ])('should wait until the leadership is %s, if it has expired', async (outcome, requests) => {
      const { apply, clock, sent, slot } = arrange(stored(2));
      const leadership = new Leadership(clock);
      leadership.confirmBy(() => true);
      leadership.grant({ monotonic: clock.monotonic() + 5000, now: clock.now() + 5000 });
      slot.begin(leadership);
      await clock.advance(6000);
      const { done, now } = await apply(patchOf({ spec: { x: 1 } }), {}, 10);
      expect([now, sent().length]).toEqual([undefined, 0]);
      if (outcome === 'lost') leadership.revoke();
      else leadership.grant({ monotonic: Infinity, now: Infinity });
      expect(await done).toBe(false);
      expect(sent()).toHaveLength(requests);
    });
  });

  describe('what is known of the stored state', () => {
    const PROGRESS = { started: '2020-01-01T00:00:00' };
    const EARLIER = { spec: { earlier: true } };

    it.each<[string, Answer, boolean]>([
      ['stored', stored(2), true],
      ['in conflict', conflict, false],
      ['lost', systemError('ECONNREFUSED'), false],
    ])('should be confirmed by a patch only if it is stored: %s', async (_, answer, isConfirmed) => {
      const { apply, memory, settings } = arrange(answer);
      settings.persistence.lostEssence = 'recall';
      memory.essence.keepUnstorable(EARLIER);
      memory.essence.noteSent({ spec: {} });
      memory.progress.noteSent('create', PROGRESS);
      await apply(patchOf({}, addFinalizer), {}, 120);
      expect({
        stored: memory.essence.isExpected,
        unstorable: memory.essence.isOutOfDate,
        essence: memory.essence.recalled,
        progress: memory.progress.expected('create'),
        pending: [memory.essence['sent'], memory.progress['sent']].map((sent) => sent !== undefined),
      }).toEqual(
        isConfirmed
          ? { stored: true, unstorable: false, essence: { spec: {} }, progress: PROGRESS, pending: [false, false] }
          : { stored: false, unstorable: true, essence: EARLIER, progress: undefined, pending: [true, true] },
      );
    });

    it('should keep no essence in memory if a lost one is not recalled', async () => {
      const { apply, memory } = arrange(stored(2));
      memory.essence.noteSent({ spec: {} });
      await apply(patchOf({ spec: { x: 1 } }));
      expect([memory.essence.isExpected, memory.essence.recalled]).toEqual([true, undefined]);
    });

    it.each([
      [5, 5000],
      [0, undefined],
    ])('should be remembered, and waited for in events for %i s', async (seconds, milliseconds) => {
      const { apply, clock, memory, settings } = arrange(stored(2));
      settings.persistence.consistencyTimeout = seconds;
      const began = clock.monotonic();
      await apply(patchOf({ spec: { x: 1 } }));
      expect(memory.knownVersion).toBe('2');
      expect(memory.consistencyDeadline).toBe(milliseconds && began + milliseconds);
    });
  });
});
