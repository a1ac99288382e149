import { Daemon, OnCreate, OnStartup, TemporaryError, Timer, type ChangeContext, type TimerContext } from 'nestjs-kopf';
import { kopfExample, testHandlers } from '../../support/objects/example.objects.js';

const again = ({ retry }: { readonly retry: number }): void => {
  if (retry < 2) throw new TemporaryError('again', { delay: null });
};

describe('Temporary errors whose delay is null', () => {
  it('should be retried at once, whatever has thrown them', async () => {
    class Operator {
      @OnStartup({ id: 'startup' })
      startup(context: { readonly retry: number }) {
        again(context);
      }
      @OnCreate('kopfexamples')
      create({ subhandler }: ChangeContext) {
        subhandler('part', again);
      }
      @Daemon('kopfexamples')
      daemon(context: { readonly retry: number }) {
        again(context);
      }
      @Timer('kopfexamples', { interval: 3600 })
      timer(context: TimerContext) {
        again(context);
      }
    }
    await using test = await testHandlers(Operator);
    await test.apply(kopfExample());
    await test.advance(30);
    for (const id of ['Operator.startup/startup', 'create/part', 'daemon', 'timer']) {
      const times = test.calls.of(id).map(({ time }) => Math.round(time));
      expect(times, id).toEqual([times[0], times[0], times[0]]);
    }
  });

  it('should leave no time in the record, as in Kopf', async () => {
    class Operator {
      @OnCreate('kopfexamples')
      create(context: ChangeContext) {
        again(context);
      }
    }
    await using test = await testHandlers(Operator);
    await test.handled(await test.apply(kopfExample()));
    const records = test.patches.all
      .map(({ body }) => body.metadata.annotations['kopf.zalando.org/create'] as string | null)
      .filter((record) => typeof record === 'string')
      .map((record) => JSON.parse(record));
    expect(records).toMatchObject([{ retries: 1 }, { retries: 2 }]);
    expect(records.filter((record) => 'delayed' in record)).toEqual([]);
  });
});
