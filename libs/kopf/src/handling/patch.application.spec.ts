import { makeResource } from '../../../../test/support/objects/resources.js';
import {
  scriptedApi,
  status,
  systemError,
  type ScriptedAnswer,
} from '../../../../test/support/transport/scripted.api.js';
import { PatchVerification } from '../client/api/patch.verification.js';
import { PatchingClient } from '../client/api/patching.client.js';
import { Leadership } from '../coordination/pausing/leadership.js';
import type { KubeObject } from '../objects/kube-object.js';
import { NO_CONTENT } from '../objects/patch-content.js';
import type { ChangingHandler } from '../registry/handler.js';
import { ResourcePatch } from '../objects/patches.js';
import { KopfSettings } from '../settings/kopf.settings.js';
import { AnnotationsDiffBaseStorage } from '../state/annotations-diffbase.storage.js';
import { SmartProgressStorage } from '../state/multi-progress.storage.js';
import { Backpressure } from '../watching/backpressure.js';
import { WorkerSlot } from '../watching/worker.slot.js';
import { Slots } from '../common/slots.js';
import { ObjectMemory } from './object.memory.js';
import { EventCycle, type CycleEnd } from './event.cycle.js';
import { PatchApplication } from './patch.application.js';
import { BookkeepingHandling } from './bookkeeping.handling.js';
import { PatchSending } from './patch.sending.js';
import { StateWriting } from './state.writing.js';
import { HandlerChanges } from './handler.changes.js';
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
  settings.persistence.diffbaseStorage = new AnnotationsDiffBaseStorage();
  const stopping = new AbortController();
  const slots = new Slots(() => 1);
  const slot = new WorkerSlot(clock, slots);
  const memory = new ObjectMemory(false, () => ({}));
  const client = new PatchingClient(api, logger, settings);
  const bookkeeping = new BookkeepingHandling(new StateWriting(settings), settings, clock);
  const sending = new PatchSending(client, new PatchVerification(), bookkeeping, settings, clock);
  const application = new PatchApplication(sending, clock);
  const backpressure = new Backpressure(clock, () => 1);
  const session: Partial<SessionContext> = {
    ending: stopping.signal,
    backpressure,
    pruned: new Set(),
    events: { post: () => {} },
  };
  const source = { session, resource: makeResource() } as unknown as ResourceEvents;
  slot.begin();
  void slots.acquire();

  /** Ends one cycle, and lets the given seconds pass. */
  async function apply(
    patch: ResourcePatch,
    options: Partial<CycleEnd> = {},
    seconds = 0,
    bookkeeping = new ResourcePatch(),
  ) {
    let result: boolean | Error | undefined;
    const cycle = new EventCycle(source, 'u', { type: 'MODIFIED', object: BODY }, memory, slot, logger);
    cycle.patch = patch;
    cycle.bookkeeping = bookkeeping;
    const done = Promise.resolve(application.apply(cycle, { delays: [], ...options })).then(
      (again) => (result = again),
      (error: Error) => (result = error),
    );
    await clock.advance(seconds * 1000);
    return { done, now: result };
  }
  const sent = () => transport.requests.map(({ body }) => (body === undefined ? undefined : JSON.parse(body)));
  /** The annotations with which the object was touched so that an event comes. */
  const touches = () => sent().flatMap((body) => body?.metadata?.annotations?.[TOUCH] ?? []);
  return { apply, application, backpressure, clock, logger, memory, sent, settings, slots, stopping, touches, slot };
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
      'is refused, and that no handler is to blame for',
      [rejected],
      { result: false, isGone: false, conflicts: 0, known: undefined, unsent: false },
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

  it.each<[string, Answer]>([
    ['is stored', stored(2)],
    ['is rejected', rejected],
    ['meets a conflict', conflict],
    ['cannot be sent', new Error('no connection')],
  ])('should let other objects begin when its patch %s', async (_, answer) => {
    const { apply, backpressure } = arrange(answer);
    const { done } = await apply(new ResourcePatch({ fields: { status: { a: 1 } }, transformations: [] }), {}, 600);
    expect(backpressure.enter()).toBeUndefined();
    void done;
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
      memory.conflicts = 4;
      const { done } = await apply(patchOf({}, addFinalizer), {}, 1);
      slot.interrupt();
      expect(await done).toBe(false);
      expect(memory.unsent?.transformations).toEqual([addFinalizer]);
    });

    it.each<[string, KubeObject, boolean]>([
      ['has changed', { ...BODY, metadata: { ...BODY.metadata, resourceVersion: '2' } }, false],
      ['is the same', BODY, true],
    ])('that follows five others should take it for a rejection, unless the object %s', async (_, found, isRefused) => {
      const present: Answer = { json: { metadata: {}, items: [found] } };
      const { apply, memory } = arrange(conflict, conflict, present, isRefused ? conflict : stored(3), stored(3));
      memory.conflicts = 5;
      const failed: Error[] = [];
      const patch = new ResourcePatch();
      patch.transform(addFinalizer);
      const attempts = [{ handler: { id: 'one' } as ChangingHandler, content: patch.snapshot() }];
      const handlerChanges = new HandlerChanges(
        NO_CONTENT,
        attempts,
        (failures) => (failed.push(...failures.values()), []),
      );
      await apply(patch, { handlerChanges }, 100);
      expect(failed.map((error) => (error as Error & { status: number }).status)).toEqual(isRefused ? [422] : []);
      expect(memory.unsent).toBeUndefined();
    });

    it('should count from the beginning once a patch is stored', async () => {
      const { apply, memory } = arrange(stored(2));
      memory.conflicts = 4;
      await apply(patchOf({ spec: { x: 1 } }));
      expect(memory.conflicts).toBe(0);
    });
  });

  describe('of a refused patch', () => {
    const BAD = { metadata: { labels: { a: '!' } } };
    const GOOD = { spec: { x: 1 } };
    const STATE = { metadata: { annotations: { state: 'success' } } };
    const [one, two] = ['one', 'two'].map((id) => ({ id }) as ChangingHandler);

    /** What the given handlers want, one after another; `failed` gets the errors of those that fail. */
    function change(...wanted: readonly (readonly [ChangingHandler, object])[]) {
      const patch = new ResourcePatch();
      const failed = new Map<string, Error>();
      const attempts = wanted.map(([handler, fields]) => {
        patch.merge(fields as Record<string, unknown>);
        return { handler, content: patch.snapshot() };
      });
      const handlerChanges = new HandlerChanges(NO_CONTENT, attempts, (failures, cycle) => {
        for (const [{ id }, error] of failures) failed.set(id, error);
        cycle.bookkeeping.merge({ metadata: { annotations: { state: 'failure' } } });
        return [7];
      });
      return { patch, handlerChanges, failed };
    }

    it('should make a failure of the handler that wants what is refused, and store this instead of its success', async () => {
      const { apply, sent } = arrange(rejected, rejected, stored(2));
      const { patch, handlerChanges, failed } = change([one, BAD]);
      expect((await apply(patch, { handlerChanges }, 1, patchOf(STATE))).now).toBe(false);
      expect([...failed]).toEqual([['one', expect.objectContaining({ status: 422 })]]);
      expect(sent()).toMatchObject([
        { metadata: { labels: { a: '!' } } },
        BAD,
        { metadata: { annotations: { state: 'failure' } } },
      ]);
      expect(sent()[1].metadata.annotations).toBeUndefined();
    });

    it('should store what other handlers want, and let them succeed', async () => {
      const { apply, sent } = arrange(rejected, stored(2), rejected, stored(3));
      const { patch, handlerChanges, failed } = change([one, GOOD], [two, BAD]);
      expect((await apply(patch, { handlerChanges }, 1, patchOf(STATE))).now).toBe(false);
      expect([...failed.keys()]).toEqual(['two']);
      expect(sent().slice(1)).toMatchObject([GOOD, BAD, { metadata: { annotations: { state: 'failure' } } }]);
    });

    it('should blame no handler for what the framework wants, which is sent again after growing pauses', async () => {
      const { apply, clock, logger, memory, sent } = arrange(rejected, stored(2), rejected);
      const { patch, handlerChanges, failed } = change([one, GOOD]);
      expect((await apply(patch, { handlerChanges }, 0, patchOf(STATE))).now).toBe(false);
      expect([failed.size, sent().length]).toEqual([0, 3]);
      const rejection = memory.rejections.get('state')!;
      expect(rejection.error).toMatchObject({ status: 422 });
      const pauses = Array.from({ length: 9 }, () => rejection.noteAttempt(rejection.error, clock.monotonic()));
      expect(pauses).toEqual([2, 5, 10, 30, 60, 120, 300, 300, 300]);
      expect(logger.messages('warn')).toContainEqual(expect.stringContaining("does not store the operator's state"));
    });

    it('should have the object looked at once more if nothing was stored, as there is no event then', async () => {
      const { apply } = arrange(rejected);
      expect((await apply(patchOf(), {}, 0, patchOf(STATE))).now).toBe(true);
    });

    it('should keep what meets with a conflict by itself, and what could not be sent', async () => {
      const { apply, memory } = arrange(rejected, conflict, systemError('ECONNREFUSED'));
      const { patch, handlerChanges, failed } = change([one, GOOD], [two, BAD]);
      expect((await apply(patch, { handlerChanges }, 120, patchOf(STATE))).now).toMatchObject({
        code: 'KOPF_CONNECTION',
      });
      expect(memory.unsent?.fields).toEqual({ ...GOOD, ...BAD });
      expect(failed.size).toBe(0);
    });

    it.each<[string, Answer, number]>([
      ['404', status(404, 'NotFound', 'no such subresource'), 1],
      ['403', status(403, 'Forbidden', 'not allowed'), 9],
      ['500', status(500, 'InternalError', 'a webhook is away'), 9],
    ])('should take an answer that may pass for a rejection when it comes again: %s', async (_, answer, attempts) => {
      const present: Answer = { json: { metadata: {}, items: [BODY] } };
      const series = [...Array.from({ length: attempts }, () => answer), present];
      const { apply, memory } = arrange(...series, ...series, answer, present, stored(2));
      const { patch, handlerChanges, failed } = change([one, GOOD]);
      expect((await apply(patch, { handlerChanges }, 120)).now).toMatchObject({ status: Number(_) });
      expect([failed.size, memory.failures]).toEqual([0, 1]);
      expect((await apply(patch, { handlerChanges }, 120)).now).toBe(false);
      expect([...failed.keys()]).toEqual(['one']);
    });

    it('should blame nobody for an outage, however long it takes', async () => {
      const { apply, memory } = arrange(status(500, 'InternalError', 'away'));
      const { patch, handlerChanges, failed } = change([one, GOOD]);
      for (let count = 0; count < 5; count++) {
        expect((await apply(patch, { handlerChanges }, 200)).now).toMatchObject({ status: 500 });
      }
      expect([failed.size, memory.failures]).toEqual([0, 0]);
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
    const annotations = {
      'kopf.zalando.org/create': JSON.stringify(PROGRESS),
      'kopf.zalando.org/last-handled-configuration': '{"spec":{}}',
    };
    const kept: Answer = { json: { ...BODY, metadata: { ...BODY.metadata, resourceVersion: '2', annotations } } };

    it.each<[string, Answer, boolean]>([
      ['stored', kept, true],
      ['in conflict', conflict, false],
      ['lost', systemError('ECONNREFUSED'), false],
    ])(
      'should be confirmed by a patch only if it is stored, and be sent first otherwise: %s',
      async (_, answer, isConfirmed) => {
        const { apply, memory, settings } = arrange(answer);
        settings.persistence.lostEssence = 'recall';
        memory.essence.keepUnstorable(EARLIER);
        memory.essence.noteChange({ spec: {} });
        memory.progress.noteChange('create', PROGRESS);
        await apply(patchOf({}, addFinalizer), {}, 120);
        expect({
          stored: memory.essence.isExpected,
          unstorable: memory.essence.isOutOfDate,
          essence: memory.essence.recalled,
          progress: memory.progress.expected('create'),
          unsent: [memory.essence.isChanged, memory.progress.isChanged, memory.isStateUnsent],
        }).toEqual(
          isConfirmed
            ? {
                stored: true,
                unstorable: false,
                essence: { spec: {} },
                progress: PROGRESS,
                unsent: [false, false, false],
              }
            : { stored: false, unstorable: true, essence: EARLIER, progress: undefined, unsent: [true, true, true] },
        );
      },
    );

    it('should be kept in memory if the cluster shows that it does not keep it, with one error for the resource', async () => {
      const { apply, logger, memory } = arrange(stored(2));
      memory.essence.noteChange({ spec: {} });
      memory.progress.noteChange('create', PROGRESS);
      await apply(patchOf());
      memory.progress.noteChange('create', { ...PROGRESS, retries: 1 });
      await apply(patchOf());
      expect(memory.progress.instead('create')).toMatchObject({ retries: 1 });
      expect([memory.essence.recalled, memory.isStateUnkept, memory.rejections.size]).toEqual([{ spec: {} }, true, 0]);
      expect(logger.messages('error')).toEqual([expect.stringContaining("does not keep the operator's state")]);
    });

    it('should keep no essence in memory if a lost one is not recalled', async () => {
      const { apply, memory } = arrange(kept);
      memory.essence.noteChange({ spec: {} });
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
