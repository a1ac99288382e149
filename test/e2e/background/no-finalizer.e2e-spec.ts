import { Daemon, OnDelete, StopReason, Timer, type DaemonContext, type KubeRequest } from 'nestjs-kopf';
import type { DaemonOptions, TimerOptions } from 'nestjs-kopf/decorators';
import { KEX, OperatorHarness } from '../../support/operators/operator.harness.js';

const FINALIZER = 'kopf.zalando.org/KopfFinalizerMarker';

describe('Daemons and timers without a finalizer', () => {
  let harness: OperatorHarness;
  const calls: string[] = [];
  const finalizersOf = async (name: string) => (await harness.object(name)).metadata.finalizers;

  function daemon(options: DaemonOptions = {}) {
    class Operator {
      @Daemon(...KEX, { finalizer: false, ...options })
      async run({ name, stopped }: DaemonContext) {
        calls.push(`${name} starts`);
        await stopped.wait();
        calls.push(`${name} stops${stopped.has(StopReason.RESOURCE_DELETED) ? ', deleted' : ''}`);
      }
    }
    return Operator;
  }

  function timer(options: TimerOptions = {}) {
    class Operator {
      @Timer(...KEX, { interval: 10, finalizer: false, ...options })
      tick({ name }: DaemonContext) {
        calls.push(`${name} ticks`);
      }
    }
    return Operator;
  }

  beforeEach(async () => {
    calls.length = 0;
    harness = await OperatorHarness.start();
  });

  it('should run for objects that get no finalizer, and stop when these have gone', async () => {
    await harness.run([daemon(), timer()]);
    await harness.create('a');
    await harness.advance(15);
    expect(await finalizersOf('a')).toBeUndefined();
    expect(harness.writes).toEqual([]);
    await harness.delete('a');
    await harness.advance(1);
    expect(await harness.read('a')).toBeUndefined();
    expect(calls.splice(0)).toEqual(['a starts', 'a ticks', 'a ticks', 'a stops, deleted']);
    await harness.advance(60);
    expect(calls).toEqual([]);
  });

  it('should stop when the operator sees later that the objects have gone', async () => {
    let isBroken = false;
    const intercept = ({ path }: KubeRequest) => {
      if (isBroken && path.includes('/kopfexamples')) throw new Error('The connection is refused.');
      return undefined;
    };
    await harness.run([daemon(), timer()], { intercept, watching: { serverTimeout: 5 } });
    await harness.create('a');
    await harness.advance(1);
    isBroken = true;
    await harness.advance(10);
    await harness.delete('a');
    await harness.advance(10);
    isBroken = false;
    await harness.advance(60);
    expect(calls).toContain('a stops, deleted');
    calls.length = 0;
    await harness.advance(60);
    expect(calls).toEqual([]);
  });

  it('should stop when the objects are marked for deletion, if others hold them', async () => {
    await harness.run([daemon(), timer()]);
    await harness.create('a', { metadata: { finalizers: ['example.com/other'] } });
    await harness.advance(1);
    await harness.delete('a');
    await harness.advance(60);
    expect(calls).toEqual(['a starts', 'a ticks', 'a stops, deleted']);
    expect(await finalizersOf('a')).toEqual(['example.com/other']);
  });

  it('should take the finalizer off that was needed before, also by Python Kopf, and let objects go', async () => {
    await harness.run([daemon({ finalizer: true }), timer({ finalizer: true })]);
    await harness.create('a');
    await harness.create('b');
    await harness.advance(1);
    expect(await finalizersOf('a')).toEqual([FINALIZER]);
    await harness.stop();
    await harness.create('python', { metadata: { finalizers: ['example.com/other', FINALIZER] } });
    await harness.delete('b');
    await harness.run([daemon(), timer()]);
    await harness.advance(1);
    expect(await finalizersOf('a')).toBeUndefined();
    expect(await finalizersOf('python')).toEqual(['example.com/other']);
    expect(await harness.read('b')).toBeUndefined();
    await harness.stop();
    await harness.run([daemon({ finalizer: true })]);
    await harness.advance(1);
    expect(await finalizersOf('a')).toEqual([FINALIZER]);
  });

  it('should leave the finalizer as long as a deletion handler, or another daemon, needs it', async () => {
    class Other {
      @Daemon(...KEX)
      async finish({ stopped }: DaemonContext) {
        await stopped.wait(30);
      }
    }
    class Deletion {
      @OnDelete(...KEX, { labels: { kept: 'yes' } })
      remove() {
        calls.push('removed');
      }
    }
    await harness.run([daemon(), Other, Deletion]);
    await harness.create('a');
    await harness.create('b', { metadata: { labels: { kept: 'yes' } } });
    await harness.advance(1);
    expect(await finalizersOf('a')).toEqual([FINALIZER]);
    // The other daemon has ended on its own.
    await harness.advance(60);
    expect(await finalizersOf('a')).toBeUndefined();
    expect(await finalizersOf('b')).toEqual([FINALIZER]);
    await harness.delete('b');
    await harness.advance(1);
    expect(calls).toEqual(['a starts', 'b starts', 'b stops, deleted', 'removed']);
    expect(await harness.read('b')).toBeUndefined();
  });

  it('should be started again after a pause, for the objects that are still there', async () => {
    const operator = await harness.run(daemon());
    await harness.create('a');
    await harness.create('b');
    await harness.advance(1);
    operator.pause('for a while');
    await harness.advance(10);
    await harness.delete('b');
    operator.resume();
    await harness.advance(10);
    expect(calls).toEqual(['a starts', 'b starts', 'a stops', 'b stops', 'a starts']);
    expect(await finalizersOf('a')).toBeUndefined();
  });

  it('should refuse an option that is no flag', async () => {
    await expect(harness.run(timer({ finalizer: 'no' as never }))).rejects.toThrow(
      "Operator.tick (@Timer): option 'finalizer' must be true or false",
    );
  });
});
