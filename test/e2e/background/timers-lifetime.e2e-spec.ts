import { KopfOperator, OnEvent, Timer, type EventContext, type TimerContext, type TimerOptions } from 'nestjs-kopf';
import { KEX, OperatorHarness } from '../../support/operator.harness.js';

describe('The lifetime of timers', () => {
  let harness: OperatorHarness;

  beforeEach(async () => {
    harness = await OperatorHarness.start();
  });

  const take = (seconds: number): Promise<void> =>
    new Promise((resolve) => void harness.clock.setTimer(resolve, seconds * 1000));

  function timer(body: (context: TimerContext) => unknown, options: TimerOptions) {
    class Operator {
      @Timer(...KEX, { id: 't', ...options })
      tick(context: TimerContext) {
        return body(context);
      }
    }
    return Operator;
  }

  it('should know how often it was tried, since when, and for how long', async () => {
    const seen: unknown[] = [];
    const body = ({ retry, started, runtime }: TimerContext) => {
      seen.push([retry, started.getTime(), Math.round(runtime)]);
      if (retry < 2) throw new Error('not yet');
    };
    await harness.run(timer(body, { interval: 100, backoff: 10 }));
    const began = harness.clock.now();
    await harness.create('a');
    await harness.advance(121);
    const first = seen[0] as number[];
    expect(first[1] - began).toBeLessThan(1000);
    expect(seen).toEqual([
      [0, first[1], 0],
      [1, first[1], 10],
      [2, first[1], 20],
      [0, first[1] + 120_000, 0],
    ]);
  });

  it.each<[string, TimerOptions, number]>([
    ['retries', { retries: 3, backoff: 5 }, 3],
    ['time', { timeout: 12, backoff: 5 }, 3],
  ])('should end when its %s are used up', async (_what, options, expected) => {
    let calls = 0;
    const body = () => {
      calls++;
      throw new Error('never');
    };
    await harness.run(timer(body, { interval: 1, ...options }));
    await harness.create('a');
    await harness.advance(600);
    expect([calls, harness.get(KopfOperator).daemons]).toEqual([expected, 0]);
  });

  it('should be able to overlap with other timers and handlers of the same object', async () => {
    const running = new Set<string>();
    const together = new Set<string>();
    const run = async (name: string, seconds: number): Promise<void> => {
      running.add(name);
      together.add([...running].sort().join());
      await take(seconds);
      running.delete(name);
    };
    class Operator {
      @Timer(...KEX, { interval: 3 })
      one() {
        return run('one', 2);
      }
      @Timer(...KEX, { interval: 5 })
      two() {
        return run('two', 3);
      }
      @OnEvent(...KEX)
      event({ type }: EventContext) {
        return type === 'MODIFIED' ? run('event', 4) : undefined;
      }
    }
    await harness.run(Operator);
    await harness.create('a');
    for (let change = 0; change < 10; change++) {
      await harness.advance(7);
      await harness.patch('a', { spec: { change } });
    }
    expect(together).toContain('event,one,two');
  });

  it('should be invoked again, with its initial delay, when the operator restarts', async () => {
    const times: number[] = [];
    const operator = timer(() => times.push(Math.round(harness.clock.monotonic() / 1000)), {
      interval: 100,
      initialDelay: 5,
    });
    await harness.create('a');
    const starts: number[] = [];
    for (let run = 0; run < 2; run++) {
      await harness.run(operator);
      starts.push(Math.round(harness.clock.monotonic() / 1000));
      await harness.advance(50);
      await harness.stop();
    }
    expect(times).toEqual(starts.map((start) => start + 5));
  });

  it('should stop with the object, and never be invoked for it again', async () => {
    let calls = 0;
    await harness.run(timer(() => calls++, { interval: 10 }));
    await harness.create('a');
    await harness.advance(15);
    expect(calls).toBe(2);
    await harness.delete('a');
    await harness.advance(3600);
    expect([calls, harness.get(KopfOperator).daemons]).toEqual([2, 0]);
  });
});
