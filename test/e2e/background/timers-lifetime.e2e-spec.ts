import { OnEvent, Timer, type EventContext, type TimerContext } from 'nestjs-kopf';
import type { TimerOptions } from 'nestjs-kopf/decorators';
import type { KopfTest } from 'nestjs-kopf/testing';
import { kopfExample, testHandlers } from '../../support/objects/example.objects.js';

function timer(body: (context: TimerContext) => unknown, options: TimerOptions) {
  class Operator {
    @Timer('kopfexamples', { id: 't', ...options })
    tick(context: TimerContext) {
      return body(context);
    }
  }
  return Operator;
}

const never = (): never => {
  throw new Error('never');
};

/** The times of all calls, in whole seconds. */
const timesOf = (test: KopfTest): number[] => test.calls.all.map(({ time }) => Math.round(time));

describe('The lifetime of timers', () => {
  it('should know how often it was tried, since when, and for how long', async () => {
    const seen: [number, number, number][] = [];
    const body = ({ retry, started, runtime }: TimerContext) => {
      seen.push([retry, started.getTime(), Math.round(runtime)]);
      if (retry < 2) throw new Error('not yet');
    };
    await using test = await testHandlers(timer(body, { interval: 100, backoff: 10 }));
    const began = test.clock.now();
    await test.apply(kopfExample());
    await test.advance(121);
    const [, first] = seen[0];
    expect(first - began).toBeLessThan(1000);
    expect(seen).toEqual([
      [0, first, 0],
      [1, first, 10],
      [2, first, 20],
      [0, first + 120_000, 0],
    ]);
  });

  it.each<[string, TimerOptions, number]>([
    ['retries', { retries: 3, backoff: 5 }, 3],
    ['time', { timeout: 12, backoff: 5 }, 3],
  ])('should end when its %s are used up', async (_what, options, expected) => {
    await using test = await testHandlers(timer(never, { interval: 1, ...options }));
    await test.apply(kopfExample());
    await test.advance(600);
    expect([test.calls.all.length, test.operator.daemons]).toEqual([expected, 0]);
  });

  it('should be able to overlap with other timers and handlers of the same object', async () => {
    const together = new Set<string>();
    const run = (seconds: number): Promise<void> => {
      together.add(runningIn(test));
      return new Promise((resolve) => void test.clock.setTimer(resolve, seconds * 1000));
    };
    class Operator {
      @Timer('kopfexamples', { interval: 3 })
      one() {
        return run(2);
      }
      @Timer('kopfexamples', { interval: 5 })
      two() {
        return run(3);
      }
      @OnEvent('kopfexamples')
      event({ type }: EventContext) {
        return type === 'MODIFIED' ? run(4) : undefined;
      }
    }
    await using test = await testHandlers(Operator);
    const object = await test.apply(kopfExample());
    for (let change = 0; change < 10; change++) {
      await test.advance(7);
      await test.patch(object, { spec: { change } });
    }
    expect(together).toContain('event,one,two');
  });

  it('should be invoked again, with its initial delay, when the operator restarts', async () => {
    const operator = timer(() => undefined, { interval: 100, initialDelay: 5 });
    await using test = await testHandlers(operator, { start: false });
    await test.apply(kopfExample());
    const starts: number[] = [];
    for (let run = 0; run < 2; run++) {
      await test.start();
      starts.push(Math.round(test.clock.monotonic() / 1000));
      await test.advance(50);
      await test.stop();
    }
    expect(timesOf(test)).toEqual(starts.map((start) => start + 5));
  });

  it('should stop with the object, and never be invoked for it again', async () => {
    await using test = await testHandlers(timer(() => undefined, { interval: 10 }));
    const object = await test.apply(kopfExample());
    await test.advance(15);
    expect(test.calls.all).toHaveLength(2);
    await test.delete(object);
    await test.advance(3600);
    expect([test.calls.all.length, test.operator.daemons]).toEqual([2, 0]);
  });
});

/** The ids of the handlers that are running, in the order of the alphabet. */
function runningIn({ calls }: KopfTest): string {
  const running = calls.all.filter(({ outcome }) => outcome === 'running');
  return [...new Set(running.map(({ id }) => id))].sort().join();
}
