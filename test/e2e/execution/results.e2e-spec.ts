import { OnCreate, OnEvent, TemporaryError, type ChangeContext, type EventContext } from 'nestjs-kopf';
import { KEX, OperatorHarness } from '../../support/operators/operator.harness.js';

const LAST_HANDLED = 'kopf.zalando.org/last-handled-configuration';

describe('Results of handlers', () => {
  it('should be put into the status under the id of the handler, merged if they are mappings', async () => {
    class Operator {
      @OnCreate(...KEX)
      number() {
        return 100;
      }
      @OnCreate(...KEX, { id: 'map' })
      mapping({ patch }: ChangeContext) {
        patch.status.map = { own: true, r1: 0 };
        return { r1: 1, r2: new Date(0), nothing: undefined };
      }
      @OnCreate(...KEX)
      nothing() {}
      @OnCreate(...KEX)
      nullish() {
        return null;
      }
      @OnCreate(...KEX)
      falsy() {
        return false;
      }
      @OnCreate(...KEX, { field: 'spec.field' })
      field() {
        return ['list'];
      }
    }
    const harness = await OperatorHarness.start();
    await harness.run(Operator);
    await harness.create('a', { spec: { field: 'v1' }, status: { map: { kept: 1 } } });
    await harness.advance(5);
    expect((await harness.object('a')).status).toEqual({
      number: 100,
      map: { kept: 1, own: true, r1: 1, r2: '1970-01-01T00:00:00.000Z' },
      falsy: false,
      'field/spec.field': ['list'],
    });
  });

  it('should be a way for handlers to wait for each other', async () => {
    const seen: unknown[] = [];
    class Operator {
      @OnCreate(...KEX)
      job({ status }: ChangeContext) {
        seen.push(status.claim);
        if (!status.claim) throw new TemporaryError('The claim is not created yet.', { delay: 10 });
        return { for: status.claim.name };
      }
      @OnCreate(...KEX)
      claim() {
        return { name: 'c-1' };
      }
    }
    const harness = await OperatorHarness.start();
    await harness.run(Operator);
    await harness.create('a');
    await harness.advance(30);
    expect(seen).toEqual([undefined, { name: 'c-1' }]);
    expect((await harness.object('a')).status).toEqual({ claim: { name: 'c-1' }, job: { for: 'c-1' } });
  });

  it('should come from handlers of events, too', async () => {
    class Operator {
      @OnEvent(...KEX)
      spy({ type }: EventContext) {
        return type === 'ADDED' ? { seen: true } : undefined;
      }
    }
    const harness = await OperatorHarness.start({ statusSubresource: true });
    await harness.run(Operator);
    await harness.create('a');
    await harness.advance(5);
    expect((await harness.object('a')).status).toEqual({ spy: { seen: true } });
    expect(harness.writes.map(({ path }) => path)).toEqual(['/apis/kopf.dev/v1/namespaces/ns/kopfexamples/a/status']);
  });

  it.each([
    ['a function', () => ({ deep: [() => 1] }), 'result.deep[0] is a function'],
    ['a symbol', () => ({ s: Symbol('x') }), 'result.s is a symbol'],
    ['a map', () => new Map(), 'result is a Map'],
    ['not a number', () => ({ n: NaN }), 'result.n is NaN'],
    [
      'a cycle',
      () => {
        const value: Record<string, unknown> = {};
        value.self = value;
        return value;
      },
      'result.self refers to its own container',
    ],
  ])('should fail the handler for good, with the place named, if JSON cannot hold them: %s', async (_, make, text) => {
    class Operator {
      @OnCreate(...KEX)
      create() {
        return make() as unknown;
      }
    }
    const harness = await OperatorHarness.start();
    await harness.run(Operator);
    await harness.create('a');
    await harness.advance(600);
    expect(harness.logger.messages('error')).toEqual([
      `[ns/a] Handler 'create' failed permanently: Handler 'create' returned what JSON cannot hold: ${text}.`,
    ]);
    expect(await harness.marks('a')).toEqual([LAST_HANDLED]);
  });

  it('should be reported once for the resource if the cluster prunes them, with what to do', async () => {
    class Operator {
      @OnCreate(...KEX)
      create() {
        return { some: 'result' };
      }
    }
    const harness = await OperatorHarness.start({ prunedStatus: true });
    await harness.run(Operator);
    await harness.create('a');
    await harness.create('b');
    await harness.advance(5);
    expect(harness.logger.messages('warn')).toEqual([
      expect.stringMatching(/\[ns\/a\] The cluster does not keep status\.create\.some .*preserve-unknown-fields/),
    ]);
    expect(await harness.marks('b')).toEqual([LAST_HANDLED]);
  });
});
