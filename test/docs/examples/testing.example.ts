// #region imports
import { Injectable, Module } from '@nestjs/common';
import {
  KopfModule,
  OnCreate,
  OnDelete,
  TemporaryError,
  Timer,
  Validate,
  AdmissionError,
  type AdmissionContext,
  type ChangeContext,
  type TimerContext,
} from 'nestjs-kopf';
import {
  admissionContext,
  callHandler,
  changeContext,
  kopfMatchers,
  KopfTest,
  SeededRandom,
  timerContext,
  VirtualClock,
} from 'nestjs-kopf/testing';
// #endregion

// #region operator
@Injectable()
export class Disks {
  async isReady(_name: string): Promise<boolean> {
    return false;
  }
}

@Injectable()
export class DiskOperator {
  constructor(private readonly disks: Disks) {}

  @OnCreate('configmaps.v1', { labels: { app: 'disk' } })
  async create({ name, patch, info }: ChangeContext) {
    if (!(await this.disks.isReady(name))) throw new TemporaryError(`The disk ${name} is not ready.`, { delay: 3600 });
    patch.merge({ data: { state: 'Bound' } });
    info({ reason: 'Bound', message: `The disk ${name} is bound.` });
  }

  @OnDelete('configmaps.v1', { labels: { app: 'disk' } })
  release() {}
}

@Module({ imports: [KopfModule.forRoot()], providers: [DiskOperator, Disks] })
export class AppModule {}
// #endregion

// #region unit
describe('DiskOperator.create', () => {
  it('should wait for the disk', async () => {
    const operator = new DiskOperator({ isReady: async () => false });
    const context = changeContext({ name: 'a' });
    await expect(callHandler(context, () => operator.create(context))).rejects.toThrow('The disk a is not ready.');
  });

  it('should bind the disk', async () => {
    const operator = new DiskOperator({ isReady: async () => true });
    const context = changeContext({ name: 'a' });
    await callHandler(context, () => operator.create(context));
    expect(context).toBePatchedWith({ data: { state: 'Bound' } });
    expect(context).toHaveEvent({ type: 'Normal', reason: 'Bound' });
  });
});
// #endregion

// #region kinds
interface DiskSpec {
  readonly size: string;
}

class Checks {
  @Validate('disks.example.com')
  shrink({ spec, old }: AdmissionContext<DiskSpec>) {
    if (old && spec.size < old.spec!.size) throw new AdmissionError('A disk cannot shrink.');
  }

  @Timer('disks.example.com', { interval: 60 })
  measure({ spec, patch, retry }: TimerContext<DiskSpec>) {
    patch.status.measured = `${spec.size} after ${retry} errors`;
  }
}

it('should not let disks shrink', async () => {
  const context = admissionContext<DiskSpec>({ spec: { size: '1G' }, old: { spec: { size: '2G' } } });
  await expect(callHandler(context, () => new Checks().shrink(context))).rejects.toThrow(AdmissionError);
});

it('should measure disks', async () => {
  const context = timerContext<DiskSpec>({ spec: { size: '1G' }, retry: 2 });
  await callHandler(context, () => new Checks().measure(context));
  expect(context.patch.status).toEqual({ measured: '1G after 2 errors' });
});
// #endregion

// #region spec
const disk = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a', labels: { app: 'disk' } } };

describe('The disks', () => {
  it('should be bound when they are ready, after three hours', async () => {
    let questions = 0;
    await using test = await KopfTest.create({
      imports: [AppModule],
      override: (builder) => builder.overrideProvider(Disks).useValue({ isReady: async () => ++questions > 3 }),
    });
    const created = await test.apply(disk);
    const handled = await test.handled(created);
    expect(handled).toMatchObject({ data: { state: 'Bound' } });
    expect(handled).toHaveFinalizer();
    expect(test.calls.of('create').map(({ outcome }) => outcome)).toEqual([
      'retried',
      'retried',
      'retried',
      'succeeded',
    ]);
    expect(test.events.of(created)).toHaveEvent('Bound');
  });
});
// #endregion

// #region time
it('should ask again after an hour, and not before', async () => {
  await using test = await KopfTest.create({ imports: [AppModule], objects: disk });
  await test.advance(3599);
  expect(test.calls.of('create')).toHaveLength(1);
  await test.advance(1);
  expect(test.calls.of('create')).toHaveLength(2);
});
// #endregion

// #region matchers
expect.extend(kopfMatchers);
// #endregion

// #region crash
it('should continue after a crash', async () => {
  let questions = 0;
  const hangAtFirst = () => (++questions === 1 ? new Promise<boolean>(() => {}) : Promise.resolve(true));
  await using test = await KopfTest.create({
    imports: [AppModule],
    override: (builder) => builder.overrideProvider(Disks).useValue({ isReady: hangAtFirst }),
  });
  const created = await test.apply(disk);
  await test.eventually(() => expect(questions).toBe(1));
  test.kill();
  await test.restart();
  expect(await test.handled(created)).toMatchObject({ data: { state: 'Bound' } });
});
// #endregion

// #region faults
it('should survive a server that is too busy', async () => {
  await using test = await KopfTest.create({
    imports: [AppModule],
    override: (builder) => builder.overrideProvider(Disks).useValue({ isReady: async () => true }),
    objects: disk,
    start: false,
  });
  test.kube.faults.reject(429, { verb: 'patch', resource: 'configmaps', times: 2 });
  await test.start();
  expect(await test.handled(disk)).toMatchObject({ data: { state: 'Bound' } });
  expect(test.requests.of(disk).map(({ status }) => status)).toContain(429);
});
// #endregion

// #region clock
it('should let time pass only when told to', async () => {
  const clock = new VirtualClock();
  let isOver = false;
  clock.setTimer(() => (isOver = true), 3_600_000);
  await clock.advance(3_600_000);
  expect(isOver).toBe(true);
  expect(new SeededRandom(1).next()).toBe(new SeededRandom(1).next());
});
// #endregion
