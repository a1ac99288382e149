import { PermanentError, TemporaryError, Timer, type Clock, type TimerContext } from 'nestjs-kopf';
import type { TimerOptions } from 'nestjs-kopf/decorators';
import { KEX, OperatorHarness, type OperatorOptions } from '../../support/operators/operator.harness.js';
import { failOnUnhandledRejections } from '../../support/runner/unhandled.rejections.js';

/** A timer on the object `a`, which is created at the beginning of 2021, and when it was called. */
class Calls {
  readonly times: string[] = [];
  private readonly operator: new () => object;

  private constructor(
    readonly harness: OperatorHarness,
    options: TimerOptions,
    body: (context: TimerContext, calls: Calls) => unknown,
  ) {
    const note = (context: TimerContext): unknown => {
      this.times.push(new Date(harness.clock.now()).toISOString().slice(5, 19));
      return body(context, this);
    };
    class Operator {
      @Timer(...KEX, { id: 't', ...options })
      tick(context: TimerContext) {
        return note(context);
      }
    }
    this.operator = Operator;
  }

  static async start(
    options: TimerOptions,
    body: (context: TimerContext, calls: Calls) => unknown = () => undefined,
    more?: OperatorOptions,
  ): Promise<Calls> {
    const calls = new Calls(await OperatorHarness.start(), options, body);
    await calls.run(more);
    await calls.harness.create('a');
    return calls;
  }

  async run(options?: OperatorOptions): Promise<void> {
    await this.harness.run(this.operator, options);
  }
}

describe('timers with cron expressions', () => {
  failOnUnhandledRejections();

  it('should be called at the times of the expression and not before', async () => {
    const { harness, times } = await Calls.start({ cron: '*/20 * * * *' });
    await harness.advance(3650);
    expect(times).toEqual(['01-01T00:20:00', '01-01T00:40:00', '01-01T01:00:00']);
    await harness.delete('a');
    await harness.advance(3600);
    expect(times).toHaveLength(3);
    expect(await harness.read('a')).toBeUndefined();
  });

  it('should know time zones', async () => {
    const { harness, times } = await Calls.start({ cron: '30 10 * * *', timeZone: 'Asia/Kolkata' });
    await harness.advance(5 * 3600 + 10);
    expect(times).toEqual(['01-01T05:00:00']);
  });

  it('should leave out times that pass during a call, and never overlap', async () => {
    const { harness, times } = await Calls.start(
      { cron: '* * * * *' },
      () => new Promise<void>((resolve) => harness.clock.setTimer(resolve, 150_000)),
    );
    await harness.advance(400);
    expect(times).toEqual(['01-01T00:01:00', '01-01T00:04:00']);
  });

  it('should follow the delays of errors first, and go on with the next time', async () => {
    const { harness, times } = await Calls.start({ cron: '*/10 * * * *' }, ({ retry }, { times: { length } }) => {
      if (retry === 0 && length === 1) throw new TemporaryError('Not yet.', { delay: 30 });
      if (length === 3) throw new PermanentError('Never again.');
    });
    await harness.advance(3600);
    expect(times).toEqual(['01-01T00:10:00', '01-01T00:10:30', '01-01T00:20:00']);
  });

  it('should begin after the initial delay', async () => {
    const { harness, times } = await Calls.start({ cron: '* * * * *', initialDelay: 90 });
    await harness.advance(125);
    expect(times).toEqual(['01-01T00:02:00']);
  });

  it('should go on after a restart, without the times that have passed meanwhile', async () => {
    const calls = await Calls.start({ cron: '0 * * * *' });
    const { harness, times } = calls;
    await harness.advance(3700);
    await harness.stop();
    await harness.advance(7200);
    await calls.run();
    await harness.advance(3600);
    expect(times).toEqual(['01-01T01:00:00', '01-01T04:00:00']);
  });

  it('should follow the wall clock when it is set', async () => {
    let offset = 0;
    const harnessed: { clock?: Clock } = {};
    const clock: Clock = {
      now: () => harnessed.clock!.now() + offset,
      monotonic: () => harnessed.clock!.monotonic(),
      setTimer: (callback, milliseconds) => harnessed.clock!.setTimer(callback, milliseconds),
    };
    const harness = await OperatorHarness.start();
    harnessed.clock = harness.clock;
    const hours: number[] = [];
    class Operator {
      @Timer(...KEX, { cron: '0 * * * *' })
      tick() {
        hours.push((clock.now() - Date.UTC(2021, 0, 1)) / 3_600_000);
      }
    }
    await harness.run(Operator, { clock });
    await harness.create('a');
    await harness.advance(1800);
    offset = -600_000;
    await harness.advance(2340);
    expect(hours).toEqual([]);
    await harness.advance(60);
    expect(hours).toEqual([1]);
    offset += 3_600_000;
    await harness.advance(600);
    expect(hours).toHaveLength(2);
  });
});
