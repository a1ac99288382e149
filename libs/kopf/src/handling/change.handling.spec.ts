import { makeResource } from '../../../../test/support/objects/resources.js';
import { MemoryLogger } from '../../../../test/support/telemetry/memory.logger.js';
import { applyMergePatch, SeededRandom } from 'kube-common';
import { ChangingCause } from '../contexts/changing.cause.js';
import type { ChangeContext } from '../contexts/contexts.interface.js';
import { Reason } from '../contexts/reason.js';
import { PermanentError, TemporaryError } from '../execution/handler.errors.js';
import { HandlerExecutor } from '../execution/handler.executor.js';
import { HandlerInvoker } from '../execution/handler.invoker.js';
import { allAtOnce } from '../execution/lifecycles.js';
import { diff } from '../objects/diffs.js';
import type { KubeObject } from '../objects/kube-object.js';
import { ResourcePatch } from '../objects/patches.js';
import type { ChangingHandler } from '../registry/handler.js';
import { Redactor } from '../resources/redactor.js';
import { KopfSettings } from '../settings/kopf.settings.js';
import { AnnotationsDiffBaseStorage } from '../state/annotations-diffbase.storage.js';
import { SmartProgressStorage } from '../state/multi-progress.storage.js';
import { VirtualClock } from '../testing/time/virtual.clock.js';
import { Slots } from '../common/slots.js';
import { WorkerSlot } from '../watching/worker.slot.js';
import { ChangeExecutor } from './change.executor.js';
import { ChangeHandling, NOTHING_HANDLED, type HandlingStep } from './change.handling.js';
import { EventCycle, type CycleScope } from './event.cycle.js';
import { LateChanges } from './late.changes.js';
import { ObjectMemory } from './object.memory.js';

const BODY: KubeObject = {
  apiVersion: 'kopf.dev/v1',
  kind: 'KopfExample',
  metadata: { name: 'a', namespace: 'ns', uid: 'u', resourceVersion: '5' },
  spec: { a: 2 },
};
const BEFORE = { spec: { a: 1 } };
const AFTER = { spec: { a: 2 } };

type Behaviour = (context: ChangeContext) => unknown;

/** Handlers by their ids, with what they do, for one reason. */
function handlersFor(
  reason: Reason,
  behaviours: Readonly<Record<string, Behaviour>>,
  options: Partial<ChangingHandler> = {},
) {
  return Object.entries(behaviours).map(
    ([id, invoke]): ChangingHandler =>
      ({ id, title: `Handler '${id}'`, source: `Operator.${id}`, reason, invoke, ...options }) as ChangingHandler,
  );
}

function arrange(handlers: readonly ChangingHandler[], adjust: (settings: KopfSettings) => void = () => undefined) {
  const clock = new VirtualClock();
  const logger = new MemoryLogger();
  const settings = new KopfSettings();
  settings.persistence.progressStorage = new SmartProgressStorage();
  settings.persistence.diffbaseStorage = new AnnotationsDiffBaseStorage();
  settings.execution.defaultBackoff = 60;
  adjust(settings);
  const executor = new HandlerExecutor(clock, new SeededRandom(1), settings);
  const late = new LateChanges(settings, clock);
  const changes = new ChangeExecutor(executor, new HandlerInvoker(), late, settings, allAtOnce);
  const handling = new ChangeHandling(executor, changes, late, settings, clock, new Redactor(settings.redaction));
  const memory = new ObjectMemory(false, () => ({}));
  const slot = new WorkerSlot(clock, new Slots(() => null));
  const scope = {
    resource: makeResource(),
    handlers: { changing: handlers, owned: handlers, extraFields: [] },
    session: { signal: new AbortController().signal, events: { post: () => undefined } },
    indices: {},
  } as unknown as CycleScope;

  /** Handles a change of the object in one cycle. */
  async function handle(reason: Reason, body = BODY): Promise<{ step: HandlingStep; cycle: EventCycle }> {
    memory.beginChanges();
    const cycle = new EventCycle(scope, 'u', { type: 'MODIFIED', object: body }, memory, slot, logger);
    const old = reason === Reason.CREATE ? undefined : reason === Reason.UPDATE ? BEFORE : AFTER;
    const detected = { reason, initial: reason === Reason.RESUME, old, new: AFTER, diff: diff(old, AFTER) };
    const step = await clock.runUntil(Promise.resolve(handling.handle(cycle, new ChangingCause(cycle, detected))));
    return { step, cycle };
  }
  /** The records that are to be stored: whether a handler has succeeded, has failed, or waits; `null` to be removed. */
  const records = (): Record<string, unknown> =>
    Object.fromEntries(
      [...(memory.recordChanges ?? [])].map(([id, record]) => [
        id,
        record && (record.success ? 'succeeded' : record.failure ? 'failed' : 'waits'),
      ]),
    );
  return { clock, handle, handling, logger, memory, records };
}

const succeed = (): void => undefined;
const fail = (): never => {
  throw new PermanentError('!');
};
const retry = (): never => {
  throw new TemporaryError('later', { delay: 7 });
};

describe('ChangeHandling', () => {
  it.each<[Reason, string]>([
    [Reason.GONE, 'Deleted, really deleted, and we are notified.'],
    [Reason.FREE, 'Deletion, but we are done with it, and we do not care.'],
    [Reason.NOOP, 'Something has changed, but we are not interested (the essence is the same).'],
  ])('should only log what calls no handlers: %s', async (reason, message) => {
    const { handle, logger, memory } = arrange(handlersFor(Reason.UPDATE, { a: fail }));
    const { step, cycle } = await handle(reason);
    expect([step, cycle.isUnchanging, memory.fullyHandledOnce]).toEqual([NOTHING_HANDLED, true, false]);
    expect(logger.messages()).toEqual([message]);
  });

  it.each<[Reason, Readonly<Record<string, Behaviour>>, string]>([
    [Reason.CREATE, { a: succeed }, 'Creation is processed: 1 succeeded; 0 failed.'],
    [Reason.UPDATE, { a: succeed, b: fail }, 'Updating is processed: 1 succeeded; 1 failed.'],
    [Reason.DELETE, { a: fail }, 'Deletion is processed: 0 succeeded; 1 failed.'],
    [Reason.RESUME, { a: succeed, b: succeed }, 'Resuming is processed: 2 succeeded; 0 failed.'],
  ])('should end a %s once all of its handlers have ended', async (reason, behaviours, message) => {
    const { handle, logger, memory, records } = arrange(
      handlersFor(reason, behaviours, { initial: reason === Reason.RESUME }),
    );
    const { step } = await handle(reason);
    expect(step).toMatchObject({ delays: [], holdsDeletion: false });
    expect(logger.messages('log')).toEqual([message]);
    expect([memory.fullyHandledOnce, memory.deletionHandled]).toEqual([true, reason === Reason.DELETE]);
    expect(Object.values(records()).filter((record) => record !== null)).toEqual([]);
    const isNew = reason === Reason.CREATE || reason === Reason.UPDATE;
    expect(memory.unstoredEssence).toEqual(isNew ? AFTER : undefined);
  });

  it('should keep the progress, and not the essence, as long as a handler waits', async () => {
    const { handle, logger, memory, records } = arrange(handlersFor(Reason.UPDATE, { a: succeed, b: retry, c: fail }));
    const { step } = await handle(Reason.UPDATE);
    expect(step).toMatchObject({ delays: [7], holdsDeletion: true });
    expect(records()).toEqual({ a: 'succeeded', b: 'waits', c: 'failed' });
    expect([memory.fullyHandledOnce, memory.unstoredEssence]).toEqual([false, undefined]);
    expect(logger.messages('log')).toEqual([]);
  });

  it('should take the essence for handled if there are no handlers for the change', async () => {
    const { handle, logger, memory } = arrange(handlersFor(Reason.CREATE, { a: fail }));
    const { step } = await handle(Reason.UPDATE);
    expect([step, memory.unstoredEssence, memory.fullyHandledOnce]).toEqual([NOTHING_HANDLED, AFTER, true]);
    expect(logger.messages('log')).toEqual([]);
  });

  describe('of a deletion', () => {
    it('should handle it only once', async () => {
      const invoke = vi.fn();
      const { handle, memory } = arrange(handlersFor(Reason.DELETE, { a: invoke }));
      memory.deletionHandled = true;
      expect((await handle(Reason.DELETE)).step).toBe(NOTHING_HANDLED);
      expect(invoke).not.toHaveBeenCalled();
    });

    it.each<['release' | 'block', boolean]>([
      ['release', false],
      ['block', true],
    ])(
      'should %s the object if a handler has failed for good, as the settings say',
      async (permanentErrors, holdsDeletion) => {
        const { handle, logger, memory, records } = arrange(
          handlersFor(Reason.DELETE, { a: fail }),
          (settings) => void (settings.deletion.permanentErrors = permanentErrors),
        );
        const { step } = await handle(Reason.DELETE);
        expect([step.holdsDeletion, memory.deletionHandled]).toEqual([holdsDeletion, !holdsDeletion]);
        expect(records().a).toBe(holdsDeletion ? 'failed' : null);
        expect(logger.messages('warn')).toEqual(
          holdsDeletion ? ['The deletion is blocked, as 1 of its handlers have failed for good.'] : [],
        );
      },
    );

    it('should keep its progress for the case that the object does not go at once, if the settings say so', async () => {
      const { handle, records } = arrange(
        handlersFor(Reason.DELETE, { a: succeed }),
        (settings) => void (settings.deletion.progress = 'keep'),
      );
      const { step } = await handle(Reason.DELETE);
      expect(records()).toEqual({});
      step.keep!();
      expect(records()).toEqual({ a: 'succeeded' });
    });

    it.each<[string, 'skip' | 'call', Reason, Partial<ChangingHandler>, number]>([
      ['the settings say so', 'call', Reason.FREE, {}, 1],
      ['the settings say so, and the object has gone', 'call', Reason.GONE, {}, 1],
      ['not if the settings do not say so', 'skip', Reason.FREE, {}, 0],
      ['not those that hold the object', 'call', Reason.FREE, { requiresFinalizer: true }, 0],
      ['not if the object is not deleted', 'call', Reason.NOOP, {}, 0],
    ])(
      'should call optional handlers once for an object that nothing holds: %s',
      async (_what, optionalHandlers, reason, options, calls) => {
        const invoke = vi.fn(retry);
        const { handle, memory, records } = arrange(
          handlersFor(Reason.DELETE, { a: invoke }, options),
          (settings) => void (settings.deletion.optionalHandlers = optionalHandlers),
        );
        expect((await handle(reason)).step).toBe(NOTHING_HANDLED);
        await handle(reason);
        expect(invoke).toHaveBeenCalledTimes(calls);
        expect([memory.recordChanges?.size ?? 0, records()]).toEqual([0, {}]);
      },
    );
  });

  describe('of another change than before', () => {
    /** The object with the progress of an earlier cycle on it. */
    async function withProgressOf(reason: Reason, handlers: readonly ChangingHandler[]): Promise<KubeObject> {
      const { handle, memory } = arrange(handlers);
      await handle(reason);
      const storage = new SmartProgressStorage();
      const patch = new ResourcePatch();
      for (const [id, record] of memory.recordChanges ?? []) if (record) storage.store(id, record, BODY, patch);
      return applyMergePatch(BODY, patch.toMergePatch() ?? {}) as KubeObject;
    }

    it('should report that the earlier one is superseded, and begin with the handlers of this one', async () => {
      const body = await withProgressOf(Reason.CREATE, handlersFor(Reason.CREATE, { a: retry }));
      const handlers = [...handlersFor(Reason.CREATE, { a: retry }), ...handlersFor(Reason.UPDATE, { b: succeed })];
      const { handle, logger, records } = arrange(handlers);
      await handle(Reason.UPDATE, body);
      expect(logger.messages('log')).toEqual([
        'Creation is superseded by updating: 0 succeeded; 0 failed; 1 left to the moment.',
        'Updating is processed: 1 succeeded; 0 failed.',
      ]);
      expect(records()).toMatchObject({ a: null });
    });

    it('should remove the progress of a change that does not exist any more', async () => {
      const body = await withProgressOf(Reason.UPDATE, handlersFor(Reason.UPDATE, { a: retry }));
      const { handle, records } = arrange(handlersFor(Reason.UPDATE, { a: retry }));
      await handle(Reason.NOOP, body);
      expect(records()).toEqual({ a: null });
    });
  });

  describe('when the API server rejects what a handler wants', () => {
    const write: Behaviour = ({ patch }) => void (patch.metadata.labels.a = '!');

    it('should make a failure of the attempt, and conclude the step again', async () => {
      const handlers = handlersFor(Reason.UPDATE, { a: write, b: succeed });
      const { handle, logger, memory, records } = arrange(handlers);
      const { step } = await handle(Reason.UPDATE);
      expect([memory.fullyHandledOnce, memory.unstoredEssence]).toEqual([true, AFTER]);
      const again = step.attempts!.fail(new Map([[handlers[0], new Error('422')]]));
      expect(again).toMatchObject({ delays: [60], holdsDeletion: true });
      expect(records()).toEqual({ a: 'waits', b: 'succeeded' });
      expect([memory.fullyHandledOnce, memory.unstoredEssence]).toEqual([false, undefined]);
      expect(logger.messages('error')).toEqual([expect.stringContaining("Handler 'a' failed")]);
    });

    it('should not release an object that may be in deletion by now', async () => {
      const handlers = handlersFor(Reason.UPDATE, { a: write }, { errors: 'permanent' });
      const { handle } = arrange(handlers);
      const { step } = await handle(Reason.UPDATE);
      const again = step.attempts!.fail(new Map([[handlers[0], new Error('422')]]));
      expect(again).toMatchObject({ delays: [], holdsDeletion: true });
    });

    it('should release an object whose deletion is handled by then', async () => {
      const handlers = handlersFor(Reason.DELETE, { a: write }, { errors: 'permanent' });
      const { handle, memory } = arrange(handlers);
      const { step } = await handle(Reason.DELETE);
      const again = step.attempts!.fail(new Map([[handlers[0], new Error('422')]]));
      expect(again).toMatchObject({ delays: [], holdsDeletion: false });
      expect(memory.deletionHandled).toBe(true);
    });

    it('should make failures of its sub-handlers, whose changes are in its patch', async () => {
      const handlers = handlersFor(Reason.UPDATE, {
        a: async ({ execute, patch }) => {
          await execute({ child: () => void (patch.metadata.labels.a = '!'), other: retry });
        },
      });
      const { handle, records } = arrange(handlers);
      const { step } = await handle(Reason.UPDATE);
      expect(records()).toMatchObject({ 'a/child': 'succeeded', 'a/other': 'waits' });
      step.attempts!.fail(new Map([[handlers[0], new Error('422')]]));
      expect(records()).toMatchObject({ 'a/child': 'waits', 'a/other': 'waits' });
    });
  });
});
