import { Daemon, Index, OnCreate, OnEvent, OnStartup, Timer, type ChangeContext } from 'nestjs-kopf';
import { KEX, OperatorHarness } from '../../support/operators/operator.harness.js';

/** Ends with the operator, so that the test can end. */
function hang({ signal }: { signal: AbortSignal }): Promise<void> {
  return new Promise((resolve) => signal.addEventListener('abort', () => resolve()));
}

class Changes {
  @OnCreate(...KEX)
  stuck(context: any) {
    return hang(context);
  }
}
class Subhandlers {
  @OnCreate(...KEX)
  parent({ subhandler }: ChangeContext) {
    subhandler('stuck', (context: any) => hang(context));
  }
}
class Events {
  @OnEvent(...KEX)
  stuck(context: any) {
    return hang(context);
  }
}
class Timers {
  @Timer(...KEX, { interval: 1 })
  stuck(context: any) {
    return hang(context);
  }
}
class Indices {
  @Index(...KEX)
  stuck(context: any) {
    return hang(context);
  }
}
class Daemons {
  @Daemon(...KEX)
  stuck(context: any) {
    return hang(context);
  }
}
describe('A handler that does not return', () => {
  async function warningsOf(handlers: new () => object, options = {}): Promise<string[]> {
    const harness = await OperatorHarness.start();
    await harness.run(handlers, options);
    await harness.create('a');
    await harness.advance(10_000);
    const warnings = harness.logger.messages('warn').filter((line) => line.includes('has not returned'));
    await harness.stop();
    return warnings;
  }

  it.each([
    ['a change', Changes, ["[ns/a] Handler 'stuck'"]],
    ['a sub-handler', Subhandlers, ["[ns/a] Handler 'parent'", "[ns/a] Handler 'parent/stuck'"]],
    ['an event', Events, ["[ns/a] Handler 'stuck'"]],
    ['a timer', Timers, ["[ns/a] Timer 'stuck'"]],
    ['an index', Indices, ["[ns/a] Index 'stuck'"]],
    ['a daemon, which may', Daemons, []],
  ])('should be named in a warning after 600 seconds: %s', async (_, handlers, expected) => {
    const warnings = await warningsOf(handlers);
    expect(warnings.map((line) => line.split(' has not returned for 600 seconds.')[0])).toEqual(expected);
  });

  it('should be named in a warning while the operator waits for it to start', async () => {
    const harness = await OperatorHarness.start();
    const warnings = () => harness.logger.messages('warn').filter((line) => line.includes('has not returned'));
    const warningsAt = new Map<number, readonly string[]>();
    class Startup {
      @OnStartup()
      async stuck() {
        for (let seconds = 0; seconds <= 1200; seconds += 100) {
          warningsAt.set(seconds, warnings());
          await new Promise<void>((resolve) => harness.clock.setTimer(resolve, 100_000));
        }
      }
    }
    await harness.run(Startup);
    const expected = [expect.stringMatching(/^Activity 'stuck' has not returned for 600 seconds\. /)];
    expect(warningsAt.get(500)).toEqual([]);
    expect(warningsAt.get(700)).toEqual(expected);
    expect(warnings()).toEqual(expected);
  });

  it('should be named after the time that is set, or not at all', async () => {
    expect(await warningsOf(Changes, { execution: { slowHandlerWarning: 5 } })).toEqual([
      expect.stringMatching(/^\[ns\/a\] Handler 'stuck' has not returned for 5 seconds\. /),
    ]);
    expect(await warningsOf(Changes, { execution: { slowHandlerWarning: null } })).toEqual([]);
  });
});
