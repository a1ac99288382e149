import { MemoryLogger } from '../../../../test/support/telemetry/memory.logger.js';
import { Deferred } from 'kube-common';
import { Pauses } from '../coordination/pausing/pauses.js';
import { PauseSwitch } from './pause.switch.js';

/** Follows pauses with watchers and daemons that are only written down; they take their time to pause once they are made slow. */
function arrange() {
  const calls: string[] = [];
  const pauses = new Pauses();
  const logger = new MemoryLogger();
  const stopping = new AbortController();
  let pausing = Promise.resolve();
  const watcher = {
    pause: async () => {
      calls.push('pause watchers');
      await pausing;
      calls.push('watchers are paused');
    },
    resume: () => calls.push('resume watchers'),
  };
  const background = {
    pause: () => Promise.resolve(void calls.push('pause background')),
    resume: () => calls.push('resume background'),
  };
  const pauseSwitch = new PauseSwitch(pauses, watcher as never, background as never, logger);
  const slow = (): Deferred => {
    const finished = new Deferred();
    pausing = finished.promise;
    return finished;
  };
  return { calls, pauseSwitch, logger, pauses, slow, stopping, start: () => pauseSwitch.start(stopping.signal) };
}

const PAUSE = ['pause watchers', 'pause background', 'watchers are paused'];
const RESUME = ['resume background', 'resume watchers'];

/** Lets everything happen that waits for nothing but promises. */
const settle = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

describe('PauseSwitch', () => {
  it('should pause with the first blocker, say why, and resume with the last one', async () => {
    const { calls, logger, pauses, start } = arrange();
    start();
    pauses.set('peer', 'A peer has a higher priority.');
    pauses.set('freeze', 'It is frozen.');
    await settle();
    expect(calls).toEqual(PAUSE);
    pauses.lift('peer');
    await settle();
    expect(calls).toEqual(PAUSE);
    pauses.lift('freeze');
    await settle();
    expect(calls).toEqual([...PAUSE, ...RESUME]);
    expect(logger.messages('log')).toEqual([
      'The operator pauses. A peer has a higher priority.',
      'The operator works again.',
    ]);
  });

  it('should pause at once if there is a blocker before it starts', async () => {
    const { calls, pauses, start } = arrange();
    pauses.set('peer', 'A peer has a higher priority.');
    start();
    await settle();
    expect(calls).toEqual(PAUSE);
  });

  it.each<[string, (pauses: Pauses) => void, readonly string[]]>([
    ['resume only then', (pauses) => pauses.lift('peer'), RESUME],
    [
      'stay paused if it is to pause again by then',
      (pauses) => {
        pauses.lift('peer');
        pauses.set('peer', 'It is back.');
      },
      [],
    ],
  ])('should finish the pausing that is in progress, and %s', async (_, change, expected) => {
    const { calls, pauses, slow, start } = arrange();
    start();
    const paused = slow();
    pauses.set('peer', 'A peer has a higher priority.');
    change(pauses);
    await settle();
    expect(calls).toEqual(PAUSE.slice(0, 2));
    paused.resolve();
    await settle();
    expect(calls).toEqual([...PAUSE, ...expected]);
  });

  it('should wait at the stop for what is in progress, and leave everything as it is then', async () => {
    const { calls, pauseSwitch, pauses, slow, start, stopping } = arrange();
    start();
    const paused = slow();
    pauses.set('peer', 'A peer has a higher priority.');
    await settle();
    pauses.lift('peer');
    stopping.abort();
    const stopped = pauseSwitch.stop().then(() => calls.push('stopped'));
    await settle();
    expect(calls).toEqual(PAUSE.slice(0, 2));
    paused.resolve();
    await stopped;
    pauses.set('peer', 'It is back.');
    await settle();
    expect(calls).toEqual([...PAUSE, 'stopped']);
  });

  it('should have nothing to stop if it was never started', async () => {
    const { calls, pauseSwitch } = arrange();
    await pauseSwitch.stop();
    expect(calls).toEqual([]);
  });
});
