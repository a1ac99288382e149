import { Daemon, OnCreate, OnStartup, TemporaryError, Timer, type ChangeContext, type TimerContext } from 'nestjs-kopf';
import { KEX, OperatorHarness } from '../../support/operator.harness.js';

const again = ({ retry }: { readonly retry: number }): void => {
  if (retry < 2) throw new TemporaryError('again', { delay: null });
};

describe('Temporary errors whose delay is null', () => {
  it('should be retried at once, whatever has thrown them', async () => {
    const times: Record<string, number[]> = {};
    const note = (id: string): void => void (times[id] ??= []).push(Math.round(harness.clock.monotonic() / 1000));
    class Operator {
      @OnStartup()
      startup(context: { readonly retry: number }) {
        note('startup');
        again(context);
      }
      @OnCreate(...KEX)
      create({ subhandler }: ChangeContext) {
        subhandler('part', (child) => {
          note('part');
          again(child);
        });
      }
      @Daemon(...KEX)
      daemon(context: { readonly retry: number }) {
        note('daemon');
        again(context);
      }
      @Timer(...KEX, { interval: 3600 })
      timer(context: TimerContext) {
        note('timer');
        again(context);
      }
    }
    const harness = await OperatorHarness.start();
    await harness.run(Operator);
    await harness.create('a');
    await harness.advance(30);
    for (const id of ['startup', 'part', 'daemon', 'timer']) {
      expect(times[id], id).toEqual([times[id][0], times[id][0], times[id][0]]);
    }
  });

  it('should leave no time in the record, as in Kopf', async () => {
    class Operator {
      @OnCreate(...KEX)
      create(context: ChangeContext) {
        again(context);
      }
    }
    const harness = await OperatorHarness.start();
    await harness.run(Operator);
    await harness.create('a');
    await harness.advance(5);
    const records = harness
      .patchesOf('a')
      .map(({ body }) => (body as any).metadata.annotations['kopf.zalando.org/create'] as string | null)
      .filter((record) => typeof record === 'string')
      .map((record) => JSON.parse(record));
    expect(records).toMatchObject([{ retries: 1 }, { retries: 2 }]);
    expect(records.filter((record) => 'delayed' in record)).toEqual([]);
  });
});
