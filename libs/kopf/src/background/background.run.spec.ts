import { MemoryLogger } from '../../../../test/support/telemetry/memory.logger.js';
import { TimerHeap } from 'kube-common';
import { StopReason } from '../contexts/stop-flag.js';
import type { BackgroundHandler, DaemonHandler } from '../registry/handler.js';
import { KopfSettings } from '../settings/kopf.settings.js';
import { VirtualClock } from '../testing/time/virtual.clock.js';
import { BackgroundRun } from './background.run.js';
import type { BackgroundWork, WorkControl } from './background.work.js';

interface Situation {
  /** The options of the daemon, or of another handler. */
  handler?: Partial<DaemonHandler> | { readonly kind: 'timer' };
  work?: Partial<BackgroundWork>;
  /** Whether the finalizer is for the background only. @default false */
  holdsAlone?: boolean;
  /** The handlers of the other runs of the object. @default none */
  others?: readonly Partial<BackgroundHandler>[];
}

function arrange({ handler, work = {}, holdsAlone = false, others = [] }: Situation = {}) {
  const clock = new VirtualClock();
  const heap = new TimerHeap(clock);
  const settings = new KopfSettings();
  settings.background.cancellationPolling = 60;
  const logger = new MemoryLogger();
  const calls: string[] = [];
  const runs = new Map<string, unknown>(others.map((other, index) => [String(index), { handler: other }]));
  const owner = {
    holdsAlone,
    runs,
    createCause: () => ({}),
    remove: (_run: unknown, forGood: boolean) => calls.push(forGood ? 'removed for good' : 'removed'),
  };
  const tools = { heap, settings, sending: {}, patching: { release: () => calls.push('released') } };
  let control!: WorkControl;
  const run = new BackgroundRun(
    { kind: 'daemon', id: 'd', title: "Daemon 'd'", ...handler } as BackgroundHandler,
    owner as never,
    tools as never,
    logger,
    (given) => {
      control = given;
      return {
        start: () => calls.push('start'),
        onTime: () => calls.push('time'),
        onStop: (reason) => calls.push(`stop ${reason}`),
        onExit: () => calls.push('exit'),
        ...work,
      } as BackgroundWork;
    },
    () => calls.push('reported'),
  );
  runs.set('d', run);
  return { calls, clock, control, heap, logger, run, settings };
}

const { FILTERS_MISMATCH, OPERATOR_EXITING, OPERATOR_PAUSING, RESOURCE_DELETED } = StopReason;
const { DAEMON_ABANDONED, DAEMON_CANCELLED, DAEMON_SIGNALLED, DONE } = StopReason;

describe('BackgroundRun', () => {
  it('should give the time to the work until it is asked to stop, and to its termination afterwards', async () => {
    const { calls, clock, control, heap, run } = arrange({ handler: { cancellationBackoff: 5 } });
    control.schedule(1000);
    await clock.advance(1000);
    expect(calls).toEqual(['time']);
    control.schedule(2000);
    run.stop(FILTERS_MISMATCH);
    expect([heap.size, control.isScheduled]).toEqual([0, false]);
    run.terminate();
    await clock.advance(4999);
    expect(run.isCancelled).toBe(false);
    await clock.advance(1);
    expect([calls, run.isCancelled]).toEqual([['time', `stop ${FILTERS_MISMATCH}`], true]);
  });

  it.each<[string, Partial<DaemonHandler>, StopReason, readonly [seconds: number, flags: number, left?: number][]]>([
    ['without options', {}, RESOURCE_DELETED, [[0, DAEMON_CANCELLED, 60]]],
    [
      'with a polling',
      { cancellationPolling: 9 },
      RESOURCE_DELETED,
      [
        [0, DAEMON_CANCELLED, 9],
        [1000, DAEMON_CANCELLED, 9],
      ],
    ],
    [
      'with a backoff and a timeout',
      { cancellationBackoff: 5, cancellationTimeout: 7 },
      RESOURCE_DELETED,
      [
        [0, DAEMON_SIGNALLED, 5],
        [5, DAEMON_SIGNALLED | DAEMON_CANCELLED, 7],
        [12, DAEMON_SIGNALLED | DAEMON_CANCELLED | DAEMON_ABANDONED, undefined],
      ],
    ],
    [
      'when the operator exits, within its time',
      {},
      OPERATOR_EXITING,
      [
        [0, DAEMON_CANCELLED, 4],
        [4, DAEMON_CANCELLED | DAEMON_ABANDONED, undefined],
      ],
    ],
    [
      'when the operator exits, but with a timeout of the handler',
      { cancellationTimeout: 7 },
      OPERATOR_EXITING,
      [
        [4, DAEMON_CANCELLED, 3],
        [7, DAEMON_CANCELLED | DAEMON_ABANDONED, undefined],
      ],
    ],
  ])('should be terminated step by step %s', async (_what, handler, reason, steps) => {
    const { clock, control, run, settings } = arrange({ handler });
    settings.background.exitTimeout = 4;
    run.stop(reason);
    run.terminate();
    for (const [seconds, flags, left] of steps) {
      await clock.advance(seconds * 1000 - clock.monotonic());
      expect([seconds, control.stopper.reason, run.left]).toEqual([seconds, reason | flags, left]);
    }
  });

  it('should count the termination from the first time that it is asked to stop', async () => {
    const { clock, run } = arrange({ handler: { cancellationBackoff: 5 } });
    run.stop(FILTERS_MISMATCH);
    await clock.advance(3000);
    run.stop(RESOURCE_DELETED);
    expect(run.left).toBe(2);
  });

  it.each([
    ['pauses', OPERATOR_PAUSING, true],
    ['does not match the object any more', FILTERS_MISMATCH, true],
    ['exits', OPERATOR_EXITING, false],
    ['handles a deletion', RESOURCE_DELETED, false],
  ])('should tell whether it can be needed again when the operator %s', (_what, reason, expected) => {
    const { control, run } = arrange();
    expect(run.isRestartable).toBe(false);
    run.stop(reason);
    expect(run.isRestartable).toBe(expected);
    control.exit();
    expect(run.isRestartable).toBe(false);
  });

  it.each<[string, Partial<DaemonHandler> | { readonly kind: 'timer' }, boolean]>([
    ['abandoned', { cancellationTimeout: 1 }, false],
    ['exited', { kind: 'timer' }, true],
  ])('should be settled once it has %s', async (_what, handler, exits) => {
    const { clock, control, run } = arrange({ handler });
    let isSettled = false;
    const settled = run.settled().then(() => (isSettled = true));
    run.stop(RESOURCE_DELETED);
    run.terminate();
    await clock.settle();
    expect([run.isSettled, isSettled]).toEqual([false, false]);
    if (exits) control.exit();
    else await clock.advance(1000);
    await settled;
    expect([run.isSettled, run.left]).toEqual([true, undefined]);
  });

  it('should not be waited for as long as its work is draining', async () => {
    const { clock, control, run } = arrange({ work: { isDraining: true } });
    run.stop(RESOURCE_DELETED);
    run.terminate();
    await clock.advance(1000);
    expect([run.left, run.isCancelled, control.isScheduled]).toEqual([undefined, false, false]);
  });

  describe('when it exits', () => {
    it('should be taken out of everything once, and stay stopped', () => {
      const { calls, control, heap, logger, run } = arrange();
      control.schedule(1000);
      control.exit();
      control.exit();
      run.stop(RESOURCE_DELETED);
      expect(calls).toEqual(['exit', 'removed for good', 'reported']);
      expect([heap.size, control.stopper.reason]).toEqual([0, DONE]);
      expect(logger.messages('debug')).toEqual([
        "Daemon 'd' has exited on its own and will not be retried or restarted.",
      ]);
    });

    it('should be started again if it was asked to', () => {
      const { calls, control, run } = arrange();
      run.stop(FILTERS_MISMATCH);
      control.exit();
      expect(calls).toEqual([`stop ${FILTERS_MISMATCH}`, 'exit', 'removed', 'reported']);
    });

    it.each<[string, Situation, StopReason | undefined, boolean]>([
      ['it is the last one', { holdsAlone: true }, undefined, true],
      [
        'only such are left that hold nothing',
        { holdsAlone: true, others: [{ kind: 'daemon', finalizer: false }] },
        undefined,
        true,
      ],
      ['another daemon runs', { holdsAlone: true, others: [{ kind: 'daemon' }] }, undefined, false],
      ['handlers of changes hold the object, too', {}, undefined, false],
      ['it was asked to stop', { holdsAlone: true }, FILTERS_MISMATCH, false],
    ])('should release the object if nothing else holds it: %s', (_what, situation, reason, expected) => {
      const { calls, control, run } = arrange(situation);
      if (reason) run.stop(reason);
      control.exit();
      expect(calls.includes('released')).toBe(expected);
    });

    it('should report an error that should not be', () => {
      const { calls, control, logger } = arrange();
      control.fail(new Error('!'));
      expect(logger.messages('error')).toEqual(["Daemon 'd' has ended unexpectedly: !"]);
      expect(calls).toContain('removed for good');
    });
  });
});
