import { OnCreate, OnUpdate, type ChangeContext } from 'nestjs-kopf';
import { KEX, OperatorHarness, errorResponse } from '../../support/operators/operator.harness.js';

describe('Unexpected errors', () => {
  it("should throttle the object when a filter throws, name the handler, and be over with the filter's error", async () => {
    const times: number[] = [];
    const calls: string[] = [];
    const harness = await OperatorHarness.start();
    const start = harness.clock.monotonic();
    class Operator {
      @OnCreate(...KEX, {
        when: ({ name }) => {
          if (name === 'good') return true;
          times.push(Math.round((harness.clock.monotonic() - start) / 1000));
          if (times.length < 5) throw new Error('a bug');
          return true;
        },
      })
      create({ name }: ChangeContext) {
        calls.push(name);
      }
    }
    await harness.run(Operator);
    await harness.create('bad');
    await harness.create('good');
    await harness.advance(0.5);
    expect(calls).toEqual(['good']);
    await harness.advance(60);
    const delays = times.slice(0, 5).map((time, index) => time - (times[index - 1] ?? time));
    expect(delays).toEqual([0, 1, 1, 2, 3]);
    expect(calls).toEqual(['good', 'bad']);
    expect(harness.logger.messages('error')[0]).toBe(
      '[ns/bad] Throttling for 1 seconds due to an unexpected error: FilterError: A filter of Operator.create has failed: a bug',
    );
    expect(harness.logger.messages('log')).toContain(
      '[ns/bad] Throttling is over. Switching back to normal operations.',
    );
  });

  it('should throttle no object if there are no delays, and be tried again with the next event', async () => {
    let checks = 0;
    class Operator {
      @OnCreate(...KEX, {
        when: () => {
          checks++;
          throw new Error('a bug');
        },
      })
      create() {}
    }
    const harness = await OperatorHarness.start();
    await harness.run(Operator, { queueing: { errorDelays: [] } });
    await harness.create('a');
    await harness.advance(600);
    expect(checks).toBe(1);
    await harness.patch('a', { spec: { field: 'v2' } });
    await harness.advance(600);
    expect(checks).toBe(2);
  });

  it('should keep newer events waiting for what is left of the delay, and process the newest one then', async () => {
    let isBroken = true;
    const fields: string[] = [];
    class Operator {
      @OnCreate(...KEX)
      @OnUpdate(...KEX)
      handle({ spec }: ChangeContext) {
        fields.push(spec.field);
      }
    }
    const harness = await OperatorHarness.start();
    await harness.run(Operator, {
      networking: { errorBackoffs: [] },
      queueing: { errorDelays: [10] },
      intercept: ({ method }) =>
        isBroken && method === 'PATCH' ? errorResponse(500, 'InternalError', 'no luck') : undefined,
    });
    await harness.create('a');
    await harness.advance(1);
    isBroken = false;
    await harness.patch('a', { spec: { field: 'v2' } });
    await harness.patch('a', { spec: { field: 'v3' } });
    await harness.advance(8);
    expect(fields).toEqual(['v1']);
    await harness.advance(2);
    expect(fields).toEqual(['v1', 'v3']);
  });
});
