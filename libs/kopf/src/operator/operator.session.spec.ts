import { MemoryLogger } from '../../../../test/support/telemetry/memory.logger.js';
import { untilAborted } from 'kube-common';
import { Pauses } from '../coordination/pausing/pauses.js';
import { IndexingGate } from '../indexing/indexing.gate.js';
import { KopfSettings } from '../settings/kopf.settings.js';
import { VirtualClock } from '../testing/time/virtual.clock.js';
import { WatcherSet } from '../watching/watcher.set.js';
import { OperatorSession } from './operator.session.js';
import type { SessionSignals } from './session-engine.factory.js';

/** The parts of a session that take their time at its end. */
type Part = 'run cleanup handlers' | 'stop admission' | 'flush events' | 'leave coordination';

const IN_ORDER = [
  'run cleanup handlers',
  'stop admission',
  'close admission',
  'close conversion',
  'flush events',
  'close events',
  'leave coordination',
  'clear',
];

/** Begins a session whose parts are only written down, some of which never end, or fail. */
function arrange({ never, failing }: { never?: Part; failing?: Part } = {}) {
  const calls: string[] = [];
  const clock = new VirtualClock();
  const logger = new MemoryLogger();
  const settings = new KopfSettings();
  settings.process.ultimateExitingTimeout = 100;
  settings.admission.timeout = 20;
  settings.queueing.exitTimeout = 3;
  const wait = async (part: Part): Promise<void> => {
    calls.push(part);
    if (part === failing) throw new Error(`${part}: failed`);
    if (part === never) await untilAborted(new AbortController().signal);
  };
  let signals: SessionSignals;
  /** Holds whether the signals were aborted when the parts were called. */
  const aborted: Record<string, readonly boolean[]> = {};
  const note = (part: string): void => {
    aborted[part] = [signals.ending.aborted, signals.closing.aborted];
  };
  const engine = {
    gate: new IndexingGate(),
    background: { exit: () => Promise.resolve() },
    admission: {
      release: () => Promise.resolve(),
      stop: () => wait('stop admission'),
      close: () => calls.push('close admission'),
    },
    conversion: {
      release: () => Promise.resolve(),
      close: () => calls.push('close conversion'),
    },
    events: {
      flush: () => (note('events'), wait('flush events')),
      close: () => calls.push('close events'),
    },
    clear: () => calls.push('clear'),
  };
  const orchestrator = { run: (signal: AbortSignal) => untilAborted(signal) };
  const session = new OperatorSession({
    engines: { create: (given: SessionSignals) => ((signals = given), engine) },
    watching: { watcher: new WatcherSet(), createOrchestrator: () => orchestrator },
    coordinations: {
      create: () => ({ leave: () => (note('coordination'), wait('leave coordination')) }),
    },
    activities: {
      run: (_: unknown, signal: AbortSignal) => {
        aborted.handlers = [signal.aborted];
        return wait('run cleanup handlers');
      },
    },
    vault: {},
    pauses: new Pauses(),
    environment: { settings, clock, logger },
  } as never);

  /** Ends the session; resolves to how many seconds it takes. */
  async function end(): Promise<number> {
    const begun = clock.monotonic();
    await clock.runUntil(session.drain());
    await clock.runUntil(session.cleanUp());
    await clock.runUntil(session.close());
    return (clock.monotonic() - begun) / 1000;
  }
  const run = (): void =>
    session.run(
      () => undefined,
      () => undefined,
    );
  return { aborted, calls, clock, end, logger, run, session };
}

describe('OperatorSession at its end', () => {
  it('should end its parts in their order, without waiting for anything', async () => {
    const { calls, clock, end, logger, run } = arrange();
    run();
    expect(await end()).toBe(0);
    expect(calls).toEqual(IN_ORDER);
    expect(logger.messages()).toEqual([]);
    expect(clock.pending).toBe(0);
  });

  it.each<[Part, number, readonly string[]]>([
    ['run cleanup handlers', 100, ['The cleanup handlers are not waited for any longer.']],
    ['stop admission', 20, ['The admission server is not waited for any longer.']],
    ['flush events', 3, []],
    [
      'leave coordination',
      3,
      ['Other operators could not be told that this one has stopped; they will find out on their own.'],
    ],
  ])('should not wait for ever for what never ends, and go on: %s', async (never, seconds, warnings) => {
    const { calls, end, logger, run } = arrange({ never });
    run();
    expect(await end()).toBe(seconds);
    expect(calls).toEqual(IN_ORDER);
    expect(logger.messages('warn')).toEqual(warnings);
  });

  it('should log what cleanup handlers have failed with, and go on', async () => {
    const { calls, end, logger, run } = arrange({ failing: 'run cleanup handlers' });
    run();
    await end();
    expect(calls).toEqual(IN_ORDER);
    expect(logger.messages('error')).toEqual(['run cleanup handlers: failed']);
  });

  it('should have nobody to tell if it has never watched', async () => {
    const { calls, end } = arrange();
    await end();
    expect(calls).toEqual(IN_ORDER.filter((call) => call !== 'leave coordination'));
  });

  it('should let cleanup handlers run and events be sent, but nothing more once others may take over', async () => {
    const { aborted, end, run } = arrange();
    run();
    await end();
    expect(aborted).toEqual({ handlers: [false], events: [false, false], coordination: [true, true] });
  });
});
